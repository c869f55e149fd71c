"""The pages around every other page: coming in, invitations, errors."""

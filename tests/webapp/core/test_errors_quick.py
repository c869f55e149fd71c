def test_x(as_alice, as_dave, endpoint):
    for u in ["/", "/jobs/", "/password/", "/nope"]:
        r = as_alice.get(u); print(u, r.status_code, len(r.content))
    for u in ["/status/", "/invitations/", "/admin/", "/admin/queue/"]:
        r = as_dave.get(u); print(u, r.status_code, len(r.content))
    print(as_dave.get("/status/").content.decode()[:6000])
    r = as_alice.post("/", {"text": "a dot moves"}); print(r.status_code, r.headers)
    print(as_alice.get(r["Location"]).content.decode())

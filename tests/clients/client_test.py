"""The Python client through the front door, on a line that breaks: see python.test.ts."""

import base64
import hashlib
import hmac
import json
import os
import tempfile
import time
import unittest
import urllib.request
import uuid

from switchboard_client import CursorFile, File, Switchboard, SwitchboardError, verify_webhook

URL, KEY, CONTROL = (os.environ[name] for name in ("SWITCHBOARD_URL", "SWITCHBOARD_KEY", "CONTROL_URL"))
client = Switchboard(URL, KEY)
api = client.api


def control(what, **values):
    """Asks the test for something that a client cannot do."""
    request = urllib.request.Request(f"{CONTROL}/{what}", json.dumps(values).encode(), method="POST")
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


def first_conversation():
    return next(client.each(api.list_conversations))["id"]


class Calls(unittest.TestCase):
    def fails(self, call, *values, **more):
        with self.assertRaises(SwitchboardError) as caught:
            call(*values, **more)
        return caught.exception

    def test_fills_in_path_query_and_body(self):
        id = first_conversation()
        sent = api.send_conversation_message(id, {"type": "text", "text": "Grüße"})
        self.assertEqual((sent["conversation_id"], sent["status"], sent["source"]), (id, "pending", "api"))
        self.assertEqual(len(api.list_conversation_messages(id, limit=1)["items"]), 1)
        self.assertEqual(api.list_conversations(unread=False, state="closed")["items"], [])

    def test_raises_code_fields_and_request_id(self):
        error = self.fails(api.create_tag, {"name": ""})
        self.assertEqual((error.status, error.code, error.is_temporary), (400, "invalid_input", False))
        self.assertEqual([field["path"] for field in error.fields], ["body.name"])
        self.assertTrue(error.request_id)
        self.assertEqual(self.fails(Switchboard(URL, "none").api.get_me).status, 401)
        nowhere = Switchboard("http://127.0.0.1:1", give_up_after=0)
        self.assertEqual(self.fails(nowhere.api.get_me).code, "no_answer")
        with self.assertRaises(TypeError):
            api.get_tag("")
        with self.assertRaises(TypeError):
            Switchboard("example.com")

    def test_creates_once_with_one_key_when_the_answer_is_lost(self):
        control("lose", begin="POST /api/tags ")
        self.assertEqual(api.create_tag({"name": "once"})["name"], "once")
        first, second = control("keys")
        self.assertTrue(first)
        self.assertEqual(first, second)
        api.create_tag({"name": "twice"}, idempotency_key="mine")
        self.assertEqual(control("keys")[-1], "mine")

    def test_repeats_without_a_key_only_what_does_no_harm(self):
        id = first_conversation()
        control("lose", begin=f"POST /api/conversations/{id}/read ")
        error = self.fails(api.mark_conversation_read, id, {})
        self.assertEqual((error.code, error.is_temporary), ("no_answer", True))
        control("lose", begin=f"POST /api/conversations/{id}/read ")
        api.mark_conversation_read(id, {}, repeat=True)
        tag = api.create_tag({"name": "shop"})
        control("answer", status="503 Service Unavailable")
        self.assertEqual(api.update_tag(tag["id"], {"color": "green"})["color"], "green")
        for call in (
            lambda: api.update_tag(tag["id"], {"color": "red"}, if_match=tag["updated_at"]),
            lambda: api.delete_tag(tag["id"]),
        ):
            control("answer", status="503 Service Unavailable")
            self.assertEqual(self.fails(call).status, 503)
        self.assertEqual(self.fails(api.update_tag, tag["id"], {"color": "red"}, if_match="2020-01-01T00:00:00.000Z").code, "changed_meanwhile")

    def test_waits_as_long_as_the_server_says(self):
        control("answer", status="429 Too Many Requests\r\nRetry-After: 1")
        began = time.monotonic()
        api.get_me()
        self.assertGreaterEqual(time.monotonic() - began, 0.99)
        control("answer", status="429 Too Many Requests\r\nRetry-After: 1")
        error = self.fails(Switchboard(URL, KEY, give_up_after=0.5).api.get_me)
        self.assertEqual((error.status, error.retry_after), (429, 1))

    def test_has_a_time_limit_and_follows_no_redirect(self):
        control("answer", status=None)
        hasty = Switchboard(URL, KEY, give_up_after=0, timeout=0.05)
        self.assertEqual(self.fails(hasty.api.get_me).code, "no_answer")
        control("answer", status="302 Found\r\nLocation: http://127.0.0.1:1/")
        self.assertEqual(self.fails(api.get_me).status, 302)

    def test_walks_lists_to_their_end_by_cursor_and_by_page(self):
        contacts = [one["id"] for one in client.each(api.list_contacts, limit=2)]
        self.assertEqual((len(contacts), len(set(contacts))), (3, 3))
        for name in ("one", "two", "three"):
            api.create_tag({"name": f"page {name}"})
        tags = [one["id"] for one in client.each(api.list_tags, limit=2)]
        self.assertEqual(sorted(tags), sorted(one["id"] for one in api.list_tags(limit=100)["items"]))
        self.assertEqual(len(tags), len(set(tags)))
        members = list(client.each(api.list_members, limit=2))
        self.assertGreater(len(members), 2)

    def test_sends_and_fetches_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "prices.txt")
            with open(path, "w") as file:
                file.write("Prices of today\n" * 10_000)
            media = api.upload_media({"file": File(path), "kind": "document"})
            self.assertEqual((media["filename"], media["mime_type"]), ("prices.txt", "text/plain"))
            api.download_media(media["id"]).save(f"{path}.copy")
            with open(path, "rb") as sent, open(f"{path}.copy", "rb") as fetched:
                self.assertEqual(fetched.read(), sent.read())
        small = api.upload_media({"file": File(b"Open from 9", "hours.txt")})
        with api.download_media(small["id"]) as file:
            self.assertEqual((file.read(), file.filename), (b"Open from 9", "hours.txt"))
        with api.get_message_report(format="csv") as report:
            self.assertIn("text/csv", report.content_type)


class Events(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "cursor.json")

    def listen(self, **more):
        return client.events(CursorFile(self.path), max_pause=0.02, **more)

    def heard(self, events):
        """Returns the text of the next message, or the next resync."""
        for event in events:
            if event["type"] == "message:new":
                return event["payload"]["content"]["text"]
            if event["type"] == "resync":
                return event["payload"]["reason"]

    def test_survives_a_cut_line_without_loss_or_repeat(self):
        events = self.listen()
        self.assertEqual(self.heard(events), "first_start")
        control("hear", texts=["one", "long " * 200])
        self.assertEqual([self.heard(events), len(self.heard(events))], ["one", 1000])
        control("hear", texts=["two", "three"], cut=True)
        self.assertEqual([self.heard(events), self.heard(events)], ["two", "three"])
        control("hear", texts=["four"])
        self.assertEqual(self.heard(events), "four")
        events.close()
        # The loop was left while it handled "four", so that one comes again, and then what was missed.
        control("hear", texts=["five"])
        again = self.listen()
        self.assertEqual([self.heard(again), self.heard(again)], ["four", "five"])
        again.close()

    def test_says_that_something_may_be_missing(self):
        CursorFile(self.path).save({"log": str(uuid.uuid4()), "seq": 5})
        events = self.listen()
        self.assertEqual(self.heard(events), "log_changed")
        control("hear", texts=["six"])
        self.assertEqual(self.heard(events), "six")
        self.assertGreater(CursorFile(self.path).load()["seq"], 5)
        events.close()
        with open(self.path, "w") as file:
            file.write("{}")
        with self.assertRaises(TypeError):
            next(self.listen())

    def test_refuses_a_topic_that_is_none_of_yours(self):
        with self.assertRaises(SwitchboardError) as caught:
            for _ in self.listen(topics=[f"contact:{uuid.uuid4()}"]):
                pass
        self.assertEqual(caught.exception.code, "not_found")

    def test_ends_when_the_key_is_gone(self):
        other = control("key")
        events = Switchboard(URL, other["key"]).events(max_pause=0.02)
        self.assertEqual(self.heard(events), "first_start")
        control("revoke", id=other["id"])
        with self.assertRaises(SwitchboardError) as caught:
            self.heard(events)
        self.assertEqual(caught.exception.code, "access_ended")


class Webhooks(unittest.TestCase):
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    other = "whsec_" + base64.b64encode(b"another secret of 24 byte").decode()
    body = json.dumps({"id": "evt_1", "type": "message.received", "data": {"text": "Grüße"}}).encode()
    now = 1_795_253_400

    def signed(self, *secrets):
        def sign(secret):
            key = base64.b64decode(secret.removeprefix("whsec_"))
            message = f"msg_1.{self.now}.".encode() + self.body
            return "v1," + base64.b64encode(hmac.new(key, message, hashlib.sha256).digest()).decode()

        signatures = " ".join(map(sign, secrets))
        return {"Webhook-Id": "msg_1", "webhook-timestamp": str(self.now), "webhook-signature": signatures}

    def verify(self, body=body, secret=secret, headers=None, now=now):
        return verify_webhook(body, self.signed(self.secret) if headers is None else headers, secret, now=now)

    def test_accepts_one_right_signature(self):
        headers = {
            "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
            "webhook-timestamp": "1614265330",
            "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        }
        self.assertEqual(self.verify('{"test": 2432232314}', headers=headers, now=1614265330), {"test": 2432232314})
        for event in (
            self.verify(),
            self.verify(self.body.decode()),
            self.verify(headers=self.signed(self.other, self.secret)),
            self.verify(secret=[self.other, self.secret]),
            self.verify(now=self.now + 300),
        ):
            self.assertEqual(event["data"]["text"], "Grüße")

    def test_refuses_another_body_secret_or_time(self):
        right = self.signed(self.secret)
        for wrong in (
            {"body": self.body + b" "},
            {"secret": self.other},
            {"secret": []},
            {"headers": {**right, "webhook-timestamp": "1"}},
            {"headers": {**right, "Webhook-Id": "msg_2"}},
            {"headers": {**right, "webhook-signature": "v1,*** v1, v2,x"}},
            {"headers": {}},
        ):
            with self.assertRaises(SwitchboardError) as caught:
                self.verify(**wrong)
            self.assertEqual(caught.exception.code, "bad_signature")
        for now in (self.now + 301, self.now - 301):
            with self.assertRaises(SwitchboardError) as caught:
                self.verify(now=now)
            self.assertEqual(caught.exception.code, "too_old")
        with self.assertRaises(TypeError):
            self.verify(secret="whsec_***")


if __name__ == "__main__":
    unittest.main()

/** With a client of openapi-python-client. */
export const PYTHON_CLIENT = `
import json
import os

from client import AuthenticatedClient, Client
from client.api.authentication import login
from client.api.contacts import list_contacts
from client.api.messages import get_message, send_contact_message
from client.models.contact_page_envelope import ContactPageEnvelope
from client.models.credentials import Credentials
from client.models.fail import Fail
from client.models.login_envelope import LoginEnvelope
from client.models.message_received_event import MessageReceivedEvent
from client.models.text_message import TextMessage
from client.models.text_message_input import TextMessageInput
from client.models.webhook_text_message import WebhookTextMessage

url = os.environ["BASE_URL"]
signed_in = login.sync(
    client=Client(base_url=url),
    body=Credentials(email=os.environ["EMAIL"], password=os.environ["PASSWORD"]),
)
assert isinstance(signed_in, LoginEnvelope), signed_in
client = AuthenticatedClient(base_url=url, token=signed_in.data.access_token)
contacts = list_contacts.sync(client=client, limit=5)
assert isinstance(contacts, ContactPageEnvelope), contacts
message = TextMessageInput(type_="text", text=os.environ["TEXT"])
sent = send_contact_message.sync(contacts.data.items[0].id, client=client, body=message)
read = get_message.sync(sent.data.id, client=client)
assert isinstance(read.data, TextMessage), read
assert read.data.content.text == os.environ["TEXT"], read

missing = get_message.sync(os.environ["MISSING"], client=client)
assert isinstance(missing, Fail) and missing.code == "not_found", missing

event = MessageReceivedEvent.from_dict(json.loads(os.environ["EVENT"]))
assert isinstance(event.data, WebhookTextMessage), event
assert isinstance(event.data.content.text, str), event
`

/** With a client of openapi-generator, python. */
export const PYTHON = `
import os

from openapi_client import (
    ApiClient,
    AuthenticationApi,
    Configuration,
    ContactsApi,
    Credentials,
    Fail,
    MessageInput,
    MessageReceivedEvent,
    MessagesApi,
    TextMessage,
    TextMessageInput,
    WebhookEvent,
    WebhookTextMessage,
)
from openapi_client.exceptions import NotFoundException

url = os.environ["BASE_URL"]
anyone = ApiClient(Configuration(host=url))
signed_in = AuthenticationApi(anyone).login(
    Credentials(email=os.environ["EMAIL"], password=os.environ["PASSWORD"])
)
client = ApiClient(Configuration(host=url, access_token=signed_in.data.access_token))
contacts = ContactsApi(client).list_contacts(limit=5)
messages = MessagesApi(client)
text = TextMessageInput(type="text", text=os.environ["TEXT"])
sent = messages.send_contact_message(contacts.data.items[0].id, MessageInput(text))
read = messages.get_message(sent.data.actual_instance.id)
message = read.data.actual_instance
assert isinstance(message, TextMessage), read
assert message.content.text == os.environ["TEXT"], read

try:
    messages.get_message(os.environ["MISSING"])
    raise SystemExit("found")
except NotFoundException as error:
    assert isinstance(error.data, Fail) and error.data.code == "not_found", error

event = WebhookEvent.from_json(os.environ["EVENT"]).actual_instance
assert isinstance(event, MessageReceivedEvent), event
received = event.data.actual_instance
assert isinstance(received, WebhookTextMessage), received
assert isinstance(received.content.text, str), received
`

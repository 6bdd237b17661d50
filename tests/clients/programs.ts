/** What each program is started with, in its environment. */
export interface ProgramEnv {
  BASE_URL: string
  EMAIL: string
  PASSWORD: string
  /** Text of the message that the program sends. */
  TEXT: string
}

/** Signs in, lists contacts and sends a message with a client of openapi-typescript. */
export const OPENAPI_TYPESCRIPT = `
import createClient from 'openapi-fetch'
import type { components, paths } from './api'

declare const process: { env: Record<string, string> }
const { BASE_URL = '', EMAIL: email = '', PASSWORD: password = '', TEXT: text = '' } = process.env

const anyone = createClient<paths>({ baseUrl: BASE_URL })
const login = await anyone.POST('/api/auth/login', { body: { email, password } })
if (!login.data) throw new Error(login.error.message)
const authorization = 'Bearer ' + login.data.data.access_token

const client = createClient<paths>({ baseUrl: BASE_URL, headers: { authorization } })
const contacts = await client.GET('/api/contacts', { params: { query: { limit: 5 } } })
const contact = contacts.data?.data.items[0]
if (!contact) throw new Error('no contact')

const body: components['schemas']['TextMessageInput'] = { type: 'text', text }
const sent = await client.POST('/api/contacts/{id}/messages', { params: { path: { id: contact.id } }, body })
const message = sent.data?.data
if (message?.type !== 'text') throw new Error('no text message')
const stored: string | null = message.content.text // null once it is deleted
if (stored !== text) throw new Error('another text: ' + stored)
`

/** The same with a client of openapi-generator, typescript-fetch. */
export const TYPESCRIPT_FETCH = `
import { AuthenticationApi, Configuration, ContactsApi, MessagesApi } from './client/src'

declare const process: { env: Record<string, string> }
const { BASE_URL: basePath = '', EMAIL: email = '', PASSWORD: password = '', TEXT: text = '' } = process.env

async function main(): Promise<void> {
  const login = await new AuthenticationApi(new Configuration({ basePath })).login({
    Credentials: { email, password },
  })
  const configuration = new Configuration({ basePath, accessToken: login.data.access_token })
  const contacts = await new ContactsApi(configuration).listContacts({ limit: 5 })
  const contact = contacts.data.items[0]
  if (!contact) throw new Error('no contact')
  const sent = await new MessagesApi(configuration).sendContactMessage({
    id: contact.id,
    MessageInput: { type: 'text', text },
  })
  if (sent.data.type !== 'text') throw new Error('no text message')
  const stored: string | null = sent.data.content.text // null once it is deleted
  if (stored !== text) throw new Error('another text: ' + stored)
}
void main()
`

/** The same with a client of openapi-python-client. */
export const PYTHON = `
import os

from client import AuthenticatedClient, Client
from client.api.authentication import login
from client.api.contacts import list_contacts
from client.api.messages import send_contact_message
from client.models.credentials import Credentials
from client.models.login_envelope import LoginEnvelope
from client.models.contact_page_envelope import ContactPageEnvelope
from client.models.text_message_input import TextMessageInput
from client.models.text_message import TextMessage

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
assert isinstance(sent.data, TextMessage), sent
print(sent.data.content.text)
`

const ENV = `
declare const process: { env: Record<string, string> }
const { BASE_URL = '', EMAIL: email = '', PASSWORD: password = '', TEXT: text = '', EVENT = '', MISSING = '' } = process.env
const expect = (what: string, value: unknown, wanted: unknown): void => {
  if (value !== wanted) throw new Error(what + ': ' + String(value))
}
`

/** With a client of openapi-typescript and openapi-fetch. */
export const OPENAPI_TYPESCRIPT = `
import createClient from 'openapi-fetch'
import type { components, paths } from './api'
${ENV}
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
const id = sent.data?.data.id ?? ''
const read = await client.GET('/api/messages/{id}', { params: { path: { id } } })
const message = read.data?.data
if (message?.type !== 'text') throw new Error('no text message')
expect('text', message.content.text satisfies string | null, text)

const missing = await client.GET('/api/messages/{id}', { params: { path: { id: MISSING } } })
const code: string | undefined = missing.error?.code
expect('code', code, 'not_found')

const event = JSON.parse(EVENT) as components['schemas']['WebhookEvent']
if (event.type !== 'message.received' || event.data.type !== 'text') throw new Error('no text')
expect('event', typeof (event.data.content.text satisfies string | null), 'string')
`

/** With a client of hey-api. */
export const HEY_API = `
import { client } from './client/client.gen'
import { getMessage, listContacts, login, sendContactMessage } from './client/sdk.gen'
import type { WebhookEvent } from './client/types.gen'
${ENV}
client.setConfig({ baseUrl: BASE_URL })
const signedIn = await login({ body: { email, password } })
if (!signedIn.data) throw new Error(signedIn.error.message)
const token = signedIn.data.data.access_token
client.setConfig({
  baseUrl: BASE_URL,
  auth: ({ scheme }) => (scheme === 'bearer' ? token : undefined), // not as an API key too
})

const contacts = await listContacts({ query: { limit: 5 } })
const contact = contacts.data?.data.items[0]
if (!contact) throw new Error('no contact')
const sent = await sendContactMessage({ path: { id: contact.id }, body: { type: 'text', text } })
const read = await getMessage({ path: { id: sent.data?.data.id ?? '' } })
const message = read.data?.data
if (message?.type !== 'text') throw new Error('no text message')
expect('text', message.content.text satisfies string | null, text)

const missing = await getMessage({ path: { id: MISSING } })
expect('code', missing.error?.code satisfies string | undefined, 'not_found')

const event = JSON.parse(EVENT) as WebhookEvent
if (event.type !== 'message.received' || event.data.type !== 'text') throw new Error('no text')
expect('event', typeof (event.data.content.text satisfies string | null), 'string')
`

/** With a client of orval, which uses axios. */
export const ORVAL = `
import axios, { type AxiosError } from 'axios'
import { getMessage, listContacts, login, sendContactMessage, type Fail, type WebhookEvent } from './client'
${ENV}
axios.defaults.baseURL = BASE_URL
const signedIn = await login({ email, password })
axios.defaults.headers.common.Authorization = 'Bearer ' + signedIn.data.data.access_token

const contacts = await listContacts({ limit: 5 })
const contact = contacts.data.data.items[0]
if (!contact) throw new Error('no contact')
const sent = await sendContactMessage(contact.id, { type: 'text', text })
const read = await getMessage(sent.data.data.id)
const message = read.data.data
if (message.type !== 'text') throw new Error('no text message')
expect('text', message.content.text satisfies string | null, text)

const missing: AxiosError<Fail> = await getMessage(MISSING).then(
  () => { throw new Error('found') },
  (error: AxiosError<Fail>) => error,
)
expect('code', missing.response?.data.code satisfies string | undefined, 'not_found')

const event = JSON.parse(EVENT) as WebhookEvent
if (event.type !== 'message.received' || event.data.type !== 'text') throw new Error('no text')
expect('event', typeof (event.data.content.text satisfies string | null), 'string')
`

/** With a client of swagger-typescript-api. */
export const SWAGGER_TYPESCRIPT_API = `
import { Api, type Fail, type WebhookEvent } from './client/api'
${ENV}
const anyone = new Api({ baseUrl: BASE_URL })
const signedIn = await anyone.api.login({ email, password })
const { api } = new Api({
  baseUrl: BASE_URL,
  baseApiParams: { headers: { authorization: 'Bearer ' + signedIn.data.data.access_token } },
})

const contacts = await api.listContacts({ limit: 5 })
const contact = contacts.data.data.items[0]
if (!contact) throw new Error('no contact')
const sent = await api.sendContactMessage(contact.id, { type: 'text', text })
const read = await api.getMessage(sent.data.data.id)
const message = read.data.data
if (message.type !== 'text') throw new Error('no text message')
expect('text', message.content.text satisfies string | null, text)

const missing = await api.getMessage(MISSING).then(
  () => { throw new Error('found') },
  (answer: { error: Fail }) => answer.error,
)
expect('code', missing.code satisfies string, 'not_found')

const event = JSON.parse(EVENT) as WebhookEvent
if (event.type !== 'message.received' || event.data.type !== 'text') throw new Error('no text')
expect('event', typeof (event.data.content.text satisfies string | null), 'string')
`

/** With a client of openapi-generator, typescript-fetch. */
export const TYPESCRIPT_FETCH = `
import {
  AuthenticationApi,
  Configuration,
  ContactsApi,
  type Fail,
  MessagesApi,
  ResponseError,
  WebhookEventFromJSON,
} from './client'
${ENV}
const signedIn = await new AuthenticationApi(new Configuration({ basePath: BASE_URL })).login({
  credentials: { email, password },
})
const configuration = new Configuration({ basePath: BASE_URL, accessToken: signedIn.data.access_token })
const contacts = await new ContactsApi(configuration).listContacts({ limit: 5 })
const contact = contacts.data.items[0]
if (!contact) throw new Error('no contact')
const messages = new MessagesApi(configuration)
const sent = await messages.sendContactMessage({ id: contact.id, messageInput: { type: 'text', text } })
const read = await messages.getMessage({ id: sent.data.id })
const message = read.data
if (message.type !== 'text') throw new Error('no text message')
expect('text', message.content.text satisfies string | null, text)

const missing: Fail = await messages.getMessage({ id: MISSING }).then(
  () => { throw new Error('found') },
  async (error: ResponseError) => (await error.response.json()) as Fail,
)
expect('code', missing.code, 'not_found')

const event = WebhookEventFromJSON(JSON.parse(EVENT))
if (event.type !== 'message.received' || event.data.type !== 'text') throw new Error('no text')
expect('event', typeof (event.data.content.text satisfies string | null), 'string')
`

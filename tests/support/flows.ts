import type { Client, Loose } from './client'
import type { World } from './world'

type Parts = { id?: string; children?: Loose[]; data?: Loose; terminal?: boolean; action?: Loose }

/** A screen of a Flow with the given content and a button at its end. */
export const screenOf = ({
  id = 'FEEDBACK',
  children = [],
  data,
  terminal = true,
  action,
}: Parts = {}): Loose => ({
  id,
  title: 'A screen',
  ...(terminal ? { terminal: true } : {}),
  ...(data === undefined ? {} : { data }),
  layout: {
    type: 'SingleColumnLayout',
    children: [
      ...children,
      {
        type: 'Footer',
        label: 'Send',
        'on-click-action': action ?? { name: 'complete', payload: {} },
      },
    ],
  },
})

const words = { type: 'TextInput', name: 'words', label: 'In your words' }

/** A Flow of one screen without an endpoint. */
export const PLAIN: Loose = {
  version: '7.3',
  screens: [
    screenOf({
      children: [words, { type: 'OptIn', name: 'news', label: 'Tell me more' }],
      action: { name: 'complete', payload: { words: '${form.words}', news: '${form.news}' } },
    }),
  ],
}

/** A Flow of two screens that calls its endpoint. */
export const ASKING: Loose = {
  version: '7.3',
  data_api_version: '3.0',
  routing_model: { DETAILS: ['SUMMARY'], SUMMARY: [] },
  screens: [
    screenOf({
      id: 'DETAILS',
      terminal: false,
      data: { greeting: { type: 'string', __example__: 'Hello Ana' } },
      children: [
        { type: 'TextBody', text: '${data.greeting}' },
        { type: 'TextInput', name: 'email', label: 'E-mail' },
      ],
      action: { name: 'data_exchange', payload: { email: '${form.email}' } },
    }),
    screenOf({
      id: 'SUMMARY',
      data: { line: { type: 'string', __example__: 'Your e-mail' } },
      children: [{ type: 'TextBody', text: '${data.line}' }],
      action: { name: 'data_exchange', payload: {} },
    }),
  ],
}

/** The rules of that Flow. */
export const RULES: Loose[] = [
  { action: 'INIT', next_screen: 'DETAILS', data: { greeting: 'Hello {{contact.name}}' } },
  {
    action: 'data_exchange',
    screen: 'DETAILS',
    when: [{ field: 'email', op: 'contains', value: '@' }],
    next_screen: 'SUMMARY',
    data: { line: 'Your e-mail is {{data.email}}' },
    set_attributes: { mail: '{{data.email}}' },
  },
  {
    action: 'data_exchange',
    screen: 'DETAILS',
    next_screen: 'DETAILS',
    data: { greeting: 'That is no e-mail', error_message: 'Try again' },
  },
  { action: 'data_exchange', screen: 'SUMMARY', next_screen: 'SUCCESS', data: { confirmed: true } },
]

let made = 0

/** Creates a Flow with a unique name. */
export async function draftFlow(world: World, client: Client, more: Loose = {}): Promise<Loose> {
  made += 1
  const body = {
    account_id: world.tenant.accountId,
    name: `Form ${made}`,
    categories: ['SURVEY'],
    json_definition: PLAIN,
    ...more,
  }
  const { status, data, body: answer } = await client.post('/api/flows', body)
  if (status !== 201) throw new Error(`a flow was refused: ${JSON.stringify(answer)}`)
  return data
}

/** Creates, saves and publishes a Flow. */
export async function publishedFlow(
  world: World,
  client: Client,
  more: Loose = {},
): Promise<Loose> {
  const { id } = await draftFlow(world, client, more)
  const saved = await client.post(`/api/flows/${id}/save-to-meta`)
  if (saved.status !== 200) throw new Error(`a flow was not saved: ${JSON.stringify(saved.body)}`)
  const { status, data, body } = await client.post(`/api/flows/${id}/publish`)
  if (status !== 200) throw new Error(`a flow was not published: ${JSON.stringify(body)}`)
  return data
}

/** Creates a Flow and saves it as a draft at the platform. Returns its ID. */
export async function savedFlow(client: Client, body: Loose): Promise<string> {
  const id = String((await client.post('/api/flows', body)).data['id'])
  await client.post(`/api/flows/${id}/save-to-meta`)
  return id
}

import type { Answer, Client, Loose } from './client'
import { takenBodies } from './lines'
import { World, type Person, type WorldOptions } from './world'

/** A world with a contact that has just written, and functions to send to it. */
export interface SendFixture extends AsyncDisposable {
  world: World
  contact: Loose
  client: Client
  /** Sends to the contact. */
  send(body: Loose): Promise<Answer<Loose>>
  /** Sends to the contact, expects 201, and returns the payload that the platform accepted. */
  sent(body: Loose): Promise<{ message: Loose; payload: Loose }>
}

/** Creates a {@link SendFixture}. The manager sends by default. */
export async function openSendFixture(
  options: WorldOptions & { person?: Person } = {},
): Promise<SendFixture> {
  const world = await World.create(options)
  const contact = await world.contactOf()
  const client = await world.as(options.person ?? 'manager')
  const send = (body: Loose) => client.post(`/api/contacts/${contact['id']}/messages`, body)
  return {
    world,
    contact,
    client,
    send,
    async sent(body) {
      const answer = await send(body)
      if (answer.status !== 201)
        throw new Error(`sending was answered ${answer.status}: ${JSON.stringify(answer.body)}`)
      await world.settle()
      const { data: message } = await client.get(`/api/messages/${answer.data['id']}`)
      const payload = takenBodies(world).find(
        (taken) => taken['biz_opaque_callback_data'] === message['id'],
      )
      if (!payload)
        throw new Error(
          `the platform did not take the message: ${JSON.stringify(message['error'])}`,
        )
      return { message, payload }
    },
    [Symbol.asyncDispose]: () => world.stop(),
  }
}

/** Returns everything that sending could store, to check that a refused send stored nothing. */
export const tracesIn = (world: World): Loose[] =>
  ['messages', 'jobs', 'contacts', 'conversations', 'media', 'events'].map((table) => ({
    table,
    rows: world.rows<{ rows: number }>(`select count(*) as rows from ${table}`)[0]?.rows,
  }))

/** A file in a form. */
export interface FilePart {
  name: string
  type: string
  bytes: Uint8Array
}

/** Sends a form, optionally with a file. */
export async function sendForm(
  client: Client,
  path: string,
  fields: Record<string, string>,
  file?: FilePart,
): Promise<Answer<Loose>> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  if (file) form.set('file', new Blob([new Uint8Array(file.bytes)], { type: file.type }), file.name)
  const response = await fetch(client.url + path, {
    method: 'POST',
    headers: client.headers,
    body: form,
  })
  const body = (await response.json()) as Answer<Loose>['body']
  return { status: response.status, headers: response.headers, body, data: body.data }
}

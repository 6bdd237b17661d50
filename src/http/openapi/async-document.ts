import type { OpenApiDocument } from './document'
import { SOCKET_KEY } from './operation'
import { usedComponents } from './tag-document'

/** A JSON object. */
type Json = Record<string, unknown>

/** A schema with variants that a field tells apart, by the values of that field. */
interface Variants {
  discriminator: { mapping: Record<string, string> }
}

const CHANNEL = 'socket'

/**
 * Returns the AsyncAPI 3 document of the WebSocket: its address and its frames in both directions,
 * as the OpenAPI document describes them.
 */
export function asyncApiDocument(document: OpenApiDocument): Json {
  const [path, { get: operation = {} } = {}] =
    Object.entries(document.paths).find(([, { get }]) => get && SOCKET_KEY in get) ?? []
  const frames = operation[SOCKET_KEY] as { client: { $ref: string }; server: { $ref: string } }
  const { schemas = {} } = usedComponents(document, frames)
  const { info, servers } = document as unknown as {
    info: { title: string; version: string }
    servers: { url: string }[]
  }
  const { host, protocol, pathname } = new URL(servers[0]?.url ?? '')
  const sent = messagesOf(schemas, frames.server.$ref)
  const received = messagesOf(schemas, frames.client.$ref)
  return {
    asyncapi: '3.0.0',
    info: { ...info, description: 'Events in real time. The API is described at `/openapi.json`.' },
    defaultContentType: 'application/json',
    servers: {
      this: {
        host,
        protocol: protocol === 'https:' ? 'wss' : 'ws',
        ...(pathname === '/' ? {} : { pathname }),
      },
    },
    channels: {
      [CHANNEL]: {
        address: path,
        title: operation['summary'],
        description: operation['description'],
        messages: { ...sent, ...received },
        bindings: { ws: { method: 'GET', query: queryOf(operation) } },
      },
    },
    operations: {
      sendFrames: { action: 'send', ...partOf(sent), summary: 'Frames from the server.' },
      receiveFrames: { action: 'receive', ...partOf(received), summary: 'Frames from a client.' },
    },
    components: { schemas: inWordsOfAsyncApi(schemas) },
  }
}

/** The variants of a frame as messages, by the names of their schemas. */
function messagesOf(schemas: Json, $ref: string): Record<string, Json> {
  const { mapping } = (schemas[nameIn($ref)] as Variants).discriminator
  return Object.fromEntries(
    Object.entries(mapping).map(([type, variant]) => [
      nameIn(variant),
      { name: type, payload: { $ref: variant } },
    ]),
  )
}

const nameIn = ($ref: string): string => $ref.slice($ref.lastIndexOf('/') + 1)

const partOf = (messages: Record<string, Json>): Json => ({
  channel: { $ref: `#/channels/${CHANNEL}` },
  messages: Object.keys(messages).map((name) => ({
    $ref: `#/channels/${CHANNEL}/messages/${name}`,
  })),
})

const queryOf = ({ parameters }: Json): Json => ({
  type: 'object',
  properties: Object.fromEntries(
    (parameters as Json[])
      .filter((parameter) => parameter['in'] === 'query')
      .map(({ name, schema }) => [name, schema]),
  ),
})

/** A discriminator of AsyncAPI is the name of the field alone. */
function inWordsOfAsyncApi(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inWordsOfAsyncApi)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === 'discriminator' ? (inner as Json)['propertyName'] : inWordsOfAsyncApi(inner),
    ]),
  )
}

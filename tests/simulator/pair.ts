import { startSimulator } from '../../src/simulator/platform'
import type { Simulator } from '../../src/simulator/platform'
import type { SimulatorOptions } from '../../src/simulator/setup'
import type { Webhook } from '../../src/simulator/payloads'

/** A received webhook. */
export type ReceivedWebhook = { text: string; body: Webhook; headers: Headers; url: URL }

/** A callback server that records webhooks and responds as configured. */
export type Receiver = { url: string; got: ReceivedWebhook[]; stop: () => Promise<void> }

/**
 * Starts a callback server. `answer` returns the status for the nth webhook (from 0); defaults to
 * 200.
 */
export function startReceiver(
  reply: (index: number, got: ReceivedWebhook) => number | Response | Promise<number> = () => 200,
): Receiver {
  const got: ReceivedWebhook[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const raw = await request.text()
      const item: ReceivedWebhook = {
        text: raw,
        body: parsed(raw),
        headers: request.headers,
        url: new URL(request.url),
      }
      got.push(item)
      const answered = await reply(got.length - 1, item)
      return answered instanceof Response ? answered : new Response('ok', { status: answered })
    },
  })
  return { url: `${server.url.origin}/api/webhook`, got, stop: () => server.stop(true) }
}

function parsed(raw: string): Webhook {
  try {
    return JSON.parse(raw)
  } catch {
    return { object: '', entry: [] }
  }
}

/** Returns the message of the error that a promise rejects with. Throws if it resolves. */
export async function errorOf(promise: Promise<unknown>): Promise<string> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  )
  if (outcome === undefined) throw new Error('No error came')
  return outcome.message
}

/** A simulator with its callback server, and a client for the first number. */
export type Pair = {
  simulator: Simulator
  receiver: Receiver
  send: (
    body: unknown,
    options?: { method?: string; token?: string; edge?: 'messages' | 'marketing_messages' },
  ) => Promise<Response>
  [Symbol.asyncDispose]: () => Promise<void>
}

/** Options that turn off all rules that depend on earlier calls. */
const FORM_ONLY = { enforceWindow: false, onlyKeptTemplates: false, onlyUploads: false } as const

/**
 * Starts both. By default only the form of calls is checked. Everything stops at the end of the
 * `await using` block.
 */
export async function startPair(
  options: SimulatorOptions = {},
  reply?: Parameters<typeof startReceiver>[0],
): Promise<Pair> {
  const receiver = startReceiver(reply)
  const simulator = await startSimulator({
    ...FORM_ONLY,
    callbackUrl: receiver.url,
    retryDelaysMs: [0, 0],
    nowMs: () => 1_790_000_000_000,
    ...options,
  })
  return {
    simulator,
    receiver,
    send: (body, { method = 'POST', token = simulator.phone.token, edge = 'messages' } = {}) =>
      fetch(`${simulator.url}/v25.0/${simulator.phone.id}/${edge}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    [Symbol.asyncDispose]: async () => {
      await simulator.stop()
      await receiver.stop()
    },
  }
}

/** Returns the status names of the received webhooks in order of arrival. */
export function statusNames(receiver: Receiver): unknown[] {
  return receiver.got
    .flatMap((item) => item.body.entry ?? [])
    .flatMap((entry) => entry.changes.flatMap((change) => statusesOf(change.value)))
}

function statusesOf(value: Record<string, unknown>): unknown[] {
  const { statuses } = value
  return Array.isArray(statuses)
    ? statuses.map((status: Record<string, unknown>) => status['status'])
    : []
}

import { textMessage } from '../../../src/simulator/payloads'
import { platformJson, signatureOf } from '../../../src/simulator/signing'
import { numberOf } from './rows'

let posted = 0

/** Lets one of so many customers write: the server publishes two events for it. */
async function write(url: string, secret: string, customers: number): Promise<void> {
  posted += 1
  const customer = 2 + (posted % customers) // these stand at the top of the list
  const text = platformJson(
    textMessage(`Live message ${posted}`, {
      id: `wamid.live.${posted}`,
      timestamp: Math.floor(Date.now() / 1_000),
      person: { waId: numberOf(customer), name: `Person ${customer}` },
    }),
  )
  const post = (): Promise<Response> =>
    fetch(`${url}/api/webhook`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-hub-signature-256': signatureOf(secret, text),
      },
      body: text,
    })
  // a kept connection may close as it is used again; the platform repeats, too
  const response = await post().catch(post)
  if (response.status !== 200) throw new Error(`a webhook was answered ${response.status}`)
}

/** How customers write. */
export interface Traffic {
  count: number
  perSecond: number
  customers: number
}

/** Lets customers write evenly. Returns how many events a second that was. */
export async function writeEvenly(
  at: { url: string; secret: string },
  { count, perSecond, customers }: Traffic,
): Promise<number> {
  const startedMs = performance.now()
  const open: Promise<void>[] = []
  for (let index = 0; index < count; index += 1) {
    const waitMs = startedMs + (index * 1_000) / perSecond - performance.now()
    if (waitMs > 0) await Bun.sleep(waitMs)
    open.push(write(at.url, at.secret, customers))
    if (open.length > 50) await Promise.all(open.splice(0))
  }
  await Promise.all(open)
  return (2 * count * 1_000) / (performance.now() - startedMs)
}

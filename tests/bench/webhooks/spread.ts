import { Client } from '../../support/client'
import { cpuUsOf } from '../processes'
import { addEndpoints, withHooks } from './setup'

/** Events of a contact's short life; each endpoint gets one of them. */
const EVENTS = ['contact.created', 'contact.consent_changed', 'contact.updated', 'contact.deleted']
/** A consent is a change of the contact as well. */
const EVENTS_OF_A_LIFE = 5
const DELETED_AFTER_MS = 5_000
const ENDPOINTS_EACH = 20
const EVENTS_A_SECOND = 50
const SECONDS = 30

/**
 * The time from an event to the receiver with 10,000 endpoints of 500 organizations, whose events
 * come evenly. Each event goes to five endpoints.
 */
export const benchSpread = (organizations: number): Promise<string> =>
  withHooks({ isSecure: false }, async (at) => {
    const clients: Client[] = []
    for (let nth = 0; nth < organizations; nth += 1) {
      const made = await at.client.post('/api/organizations', { name: `Organization ${nth}` })
      if (made.status !== 201) throw new Error(`organization refused: ${made.body.message}`)
      const to = { organization_id: made.data['id'] }
      const { data } = await at.client.post('/api/auth/switch-org', to)
      const client = new Client(at.server.url, {
        authorization: `Bearer ${String(data['access_token'])}`,
      })
      for (const [index, event] of EVENTS.entries())
        await addEndpoints(client, {
          to: at.to,
          count: ENDPOINTS_EACH / EVENTS.length,
          path: `${nth}/${index}-`,
          events: [event],
        })
      clients.push(client)
    }
    await at.forget()
    await at.watch.take()
    const startedUs = cpuUsOf(at.server.pid)
    const lives = (EVENTS_A_SECOND * SECONDS) / EVENTS.length
    const running: Promise<void>[] = []
    const startedMs = performance.now()
    for (let nth = 0; nth < lives; nth += 1) {
      const client = clients[Math.floor((nth / lives) * clients.length)] ?? at.client
      running.push(liveOnce(client, nth))
      const dueMs = startedMs + ((nth + 1) / lives) * SECONDS * 1_000
      await Bun.sleep(Math.max(0, dueMs - performance.now()))
    }
    await Promise.all(running)
    const wanted = (lives * EVENTS_OF_A_LIFE * ENDPOINTS_EACH) / EVENTS.length
    const { count, p50Ms, p99Ms } = await at.until(wanted)
    const share = (cpuUsOf(at.server.pid) - startedUs) / 1_000_000 / SECONDS
    return `${organizations * ENDPOINTS_EACH} endpoints of ${organizations} organizations, ${EVENTS_A_SECOND} events a second in all, each to five endpoints: ${count} deliveries, received ${Math.round(p50Ms)} ms after the event (p50), ${Math.round(p99Ms)} ms (p99), with ${Math.round(share * 100)} % of a processor. The thread was held for ${Math.round(await at.watch.take())} ms at most.`
  })

/** Creates a contact, notes its consent, renames it, and deletes it when its events were sent. */
async function liveOnce(client: Client, nth: number): Promise<void> {
  const { data, status, body } = await client.post('/api/contacts', {
    phone_number: `+1555${1_000_000 + nth}`,
  })
  if (status !== 201) throw new Error(`contact refused: ${body.message}`)
  const path = `/api/contacts/${String(data['id'])}`
  const answers = [
    await client.post(`${path}/consents`, { state: 'opted_in' }),
    await client.put(path, { name: `No ${nth}` }),
  ]
  await Bun.sleep(DELETED_AFTER_MS)
  answers.push(await client.delete(path))
  const refused = answers.find((one) => one.status >= 300)
  if (refused) throw new Error(`a change was refused: ${refused.body.message}`)
}

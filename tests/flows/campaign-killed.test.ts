import { expect, test } from 'bun:test'

import { ADMINS, APP_SECRET, Installation, signIn } from '../chaos/installation'
import { startSimulator } from '../../src/simulator/platform'
import { numbersOf } from '../support/campaigns'
import type { Loose } from '../support/client'

/** Recipients, how long the platform takes for each answer, and how often the server is killed. */
const RECIPIENTS = 150
const LATENCY_MS = 40
const KILLS = 3

test('sends to everyone at most once while the server is killed repeatedly', async () => {
  await using simulator = await startSimulator({
    appSecret: APP_SECRET,
    phones: [],
    statuses: ['sent'],
  })
  const phone = simulator.addPhone({ wabaId: '201000000000001', token: 'token-1' })
  const installation = new Installation({ PLATFORM_BASE_URL: simulator.url, RATE_BULK: '0' })
  try {
    let server = await installation.start()
    simulator.setCallback(`${server.url}/api/webhook`, APP_SECRET)
    const client = await signIn(server.url, ADMINS[0])
    const account = {
      name: 'Main',
      phone_id: phone.id,
      business_id: phone.wabaId,
      access_token: phone.token,
    }
    const account_id = String((await client.post('/api/accounts', account)).data['id'])
    const body = { type: 'BODY', text: 'We have news for you today.' }
    simulator.keepTemplate({
      name: 'news',
      language: 'en',
      category: 'MARKETING',
      components: [body],
    })
    await client.post('/api/templates/sync', {})
    const [template] = (await client.get('/api/templates')).data['items'] as Loose[]
    const { data: campaign } = await client.post('/api/campaigns', {
      name: 'News',
      account_id,
      template_id: template?.['id'],
    })
    const recipients = numbersOf(RECIPIENTS).map((phone_number) => ({ phone_number }))
    await client.post(`/api/campaigns/${campaign['id']}/recipients/import`, { recipients })
    simulator.slow(LATENCY_MS, { times: Infinity })
    await client.post(`/api/campaigns/${campaign['id']}/start`, {})
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await simulator.waitForMessages(kill * 35, { deadlineMs: 20_000 })
      await server.kill()
      server = await installation.start()
      simulator.setCallback(`${server.url}/api/webhook`, APP_SECRET)
    }
    const left = (): number =>
      installation.rows<{ n: number }>(
        "select count(*) as n from jobs where kind = 'campaign.dispatch'",
      )[0]?.n === 0
        ? 0
        : (installation.rows<{ n: number }>(
            "select count(*) as n from campaign_recipients where status = 'pending'",
          )[0]?.n ?? 0)
    const untilMs = performance.now() + 30_000
    while (left() > 0 && performance.now() < untilMs) await Bun.sleep(100)
    await simulator.idle({ deadlineMs: 20_000 })
    await server.stop()
    const calls = Map.groupBy(simulator.messages, ({ body }) => String((body as Loose)['to']))
    expect([...calls].filter(([, taken]) => taken.length > 1).map(([to]) => to)).toEqual([])
    const states = installation.rows<{ status: string; n: number }>(
      'select status, count(*) as n from campaign_recipients group by status',
    )
    const uncertain = states.find(({ status }) => status === 'sending')?.n ?? 0
    expect(states.filter(({ status }) => !['sent', 'sending'].includes(status))).toEqual([])
    expect(calls.size + uncertain).toBeGreaterThanOrEqual(RECIPIENTS)
    // Whose call was cut off is never called again; nobody but those under way at a kill is
    // uncertain.
    expect(uncertain).toBeLessThanOrEqual(KILLS * 64)
    const [counts] = installation.rows<{ sent: number; sending: number }>(
      'select sent, sending from campaign_counts',
    )
    expect(counts).toEqual({ sent: RECIPIENTS - uncertain, sending: uncertain })
  } finally {
    installation.remove()
  }
}, 120_000)

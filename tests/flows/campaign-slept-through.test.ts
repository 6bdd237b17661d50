import { expect, test } from 'bun:test'

import { ADMINS, APP_SECRET, Installation, signIn } from '../chaos/installation'
import { startSimulator } from '../../src/simulator/platform'
import { numbersOf } from '../support/campaigns'
import type { Loose } from '../support/client'
import { sendForm } from '../support/sending'

/** So many that a job works them off. */
const PEOPLE = 10_001
/** The server is killed before that and back only after it, milliseconds. */
const AHEAD_MS = 1_500

test('starts once with all recipients after downtime and an interrupted import', async () => {
  await using simulator = await startSimulator({ appSecret: APP_SECRET, phones: [], statuses: [] })
  const phone = simulator.addPhone({ wabaId: '201000000000001', token: 'token-1' })
  const installation = new Installation({ PLATFORM_BASE_URL: simulator.url, RATE_BULK: '0' })
  try {
    let server = await installation.start()
    const client = await signIn(server.url, ADMINS[0])
    const account = {
      name: 'Main',
      phone_id: phone.id,
      business_id: phone.wabaId,
      access_token: phone.token,
    }
    const account_id = String((await client.post('/api/accounts', account)).data['id'])
    simulator.keepTemplate({
      name: 'news',
      language: 'en',
      category: 'MARKETING',
      components: [{ type: 'BODY', text: 'We have news.' }],
    })
    await client.post('/api/templates/sync', {})
    const [template] = (await client.get('/api/templates')).data['items'] as Loose[]
    const draft = { name: 'News', account_id, template_id: template?.['id'], rate_limit: 1 }
    const id = String((await client.post('/api/campaigns', draft)).data['id'])
    const bytes = new TextEncoder().encode(`Phone\n${numbersOf(PEOPLE).join('\n')}\n`)
    const taken = await sendForm(
      client,
      `/api/campaigns/${id}/recipients/import`,
      {},
      { name: 'a.csv', type: 'text/csv', bytes },
    )
    expect(taken).toMatchObject({ status: 201, data: { status: 'queued' } })
    const atMs = Date.now() + AHEAD_MS
    const scheduled_at = new Date(atMs).toISOString()
    expect(
      (await client.post(`/api/campaigns/${id}/schedule`, { scheduled_at })).data,
    ).toMatchObject({ status: 'scheduled' })
    await server.kill()
    await Bun.sleep(Math.max(0, atMs - Date.now()))
    server = await installation.start()
    await simulator.waitForMessages(1, { deadlineMs: 30_000 })
    const [before] = installation.rows<Loose>('select status, started_at_ms from campaigns')
    expect(before).toMatchObject({ status: 'sending' })
    expect(installation.rows('select status, created, failed from imports')).toEqual([
      { status: 'completed', created: PEOPLE, failed: 0 },
    ])
    expect(installation.rows('select count(*) as people from campaign_recipients')).toEqual([
      { people: PEOPLE },
    ])
    // Killed and started once more, it goes on; it does not start again.
    await server.kill()
    server = await installation.start()
    await simulator.waitForMessages(2, { deadlineMs: 30_000 })
    await server.stop()
    expect(installation.rows('select status, started_at_ms from campaigns')).toEqual([before])
    const to = simulator.messages.map(({ body }) => String((body as Loose)['to']))
    expect(new Set(to).size).toBe(to.length)
  } finally {
    installation.remove()
  }
}, 120_000)

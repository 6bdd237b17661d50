import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Loose } from '../support/client'
import { CHROMIUM } from './support/chromium'
import { LiveWorld, type Journey } from './support/journey'

describe.skipIf(CHROMIUM === null)('running an organization', () => {
  let live: LiveWorld
  let journey: Journey

  beforeAll(async () => {
    live = await LiveWorld.create()
    journey = await live.open({ path: '/transfers' })
    await journey.signIn('admin')
  }, 60_000)

  afterAll(() => live.stop())

  test('shows who waits, lets one person take the customer, and gives back', async () => {
    const { world } = live
    const { page } = journey
    const admin = await world.as('admin')
    const rowOf = (name: string) => page.getByRole('listitem').filter({ hasText: name })
    await page.getByText('Nobody is waiting').waitFor()

    const settings = { sla_enabled: true, sla_response_minutes: 10, sla_resolution_minutes: 60 }
    expect((await admin.put('/api/chatbot/settings', settings)).status).toBe(200)
    const { data } = await admin.post('/api/teams', { name: 'Returns' })
    const transfers: Loose[] = []
    for (const [name, team] of [
      ['Ana Sol', String((data['team'] as Loose)['id'])],
      ['Bob Late', 'general'],
    ] as const) {
      await world.simulator.customer({ phone: world.tenant.phoneId, name }).says('A person, please')
      await world.settle()
      const found = (await admin.get(`/api/contacts?search=${name.slice(0, 3)}`)).data
      const contact_id = String((found['items'] as Loose[])[0]?.['id'])
      const body = { contact_id, team_id: team, priority: 5, notes: 'Asks for a refund' }
      const made = await admin.post('/api/chatbot/transfers', body)
      transfers.push(made.data['transfer'] as Loose)
    }
    await rowOf('Ana Sol').getByText('Returns').waitFor()
    await rowOf('Bob Late')
      .getByText(/Answer due in/)
      .waitFor()
    await journey.requireAccessible()
    await journey.picture('transfers')

    await admin.put(`/api/chatbot/transfers/${String(transfers[0]?.['id'])}/assign`, {
      agent_id: world.tenant.userIds.agent,
    })
    await rowOf('Ana Sol').waitFor({ state: 'detached' })
    await rowOf('Bob Late').getByRole('button', { name: 'Pick up' }).click()
    await page.getByRole('log').getByText('A person, please').waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'Mine' }).click()
    await rowOf('Bob Late').getByRole('button', { name: 'Actions for Bob Late' }).click()
    await page.getByRole('menuitem', { name: 'Give back to the queue' }).click()
    await rowOf('Bob Late').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Waiting' }).click()
    await page.keyboard.press('p')
    await page.getByRole('log').getByText('A person, please').waitFor()
  }, 60_000)

  test('had no error of the page', () => journey.finish(), 30_000)
})

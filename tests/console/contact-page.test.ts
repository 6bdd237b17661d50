import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'

import type { Loose } from '../support/client'
import { CHROMIUM } from './support/chromium'
import { LiveWorld, type Journey } from './support/journey'

describe.skipIf(CHROMIUM === null)('the page of a contact', () => {
  let live: LiveWorld
  let journey: Journey
  let page: Page
  const ids: Record<string, string> = {}

  const admin = () => live.world.as('admin')

  beforeAll(async () => {
    live = await LiveWorld.create()
    const client = await admin()
    const fields: Loose[] = [
      { key: 'size', label: 'Shoe size', type: 'number' },
      { key: 'plan', label: 'Plan', type: 'select', options: ['Free', 'Gold'] },
    ]
    for (const field of fields) await client.post('/api/contact-attributes', field)
    for (const [nth, name] of ['Ana Sol', 'Ana Sol again', 'Ben Luz'].entries()) {
      const made = await client.post('/api/contacts', { phone_number: `+1555020000${nth}`, name })
      ids[name] = String(made.data['id'])
    }
    await client.post(`/api/contacts/${ids['Ana Sol']}/consents`, {
      ...{ purpose: 'marketing', state: 'opted_in', evidence: 'Form at the counter' },
    })
    await client.post('/api/scheduled-messages', {
      ...{ contact_id: ids['Ana Sol'], account_id: live.world.tenant.accountId },
      message: { type: 'text', text: 'See you on Monday' },
      send_at: new Date(live.world.clock.nowMs() + 3_600_000).toISOString(),
    })
    journey = await live.open({ path: `/contacts/${ids['Ana Sol']}` })
    page = journey.page
    await journey.signIn('admin')
  }, 60_000)

  afterAll(() => live.stop())

  test('shows evidence, and changes the fields of the organization', async () => {
    await page.getByText('Form at the counter').waitFor()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Shoe size').fill('43')
    await dialog.getByLabel('Phone number').fill('+1 555 020 0009')
    await dialog.getByRole('button', { name: /New conversations go to/ }).click()
    await page.getByRole('option', { name: 'Acme agent' }).click()
    await dialog.getByRole('button', { name: /Plan/ }).click()
    await page.getByRole('option', { name: 'Gold' }).click()
    await journey.requireAccessible()
    await journey.picture('contact-edit')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Gold', { exact: true }).waitFor()
    const { data } = await (await admin()).get(`/api/contacts/${ids['Ana Sol']}`)
    expect(data).toMatchObject({
      attributes: { size: 43, plan: 'Gold' },
      phone_number: '15550200009',
      assigned_user: { full_name: 'Acme agent' },
    })
    await page.getByText('Shoe size').waitFor()
    await page.getByText('See you on Monday').waitFor()
  }, 60_000)

  test('merges with a duplicate, and takes it back', async () => {
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Merge with a duplicate' }).click()
    await page.getByRole('dialog').getByRole('searchbox').fill('Ana Sol again')
    await page.getByRole('menuitem', { name: /Ana Sol again/ }).waitFor()
    await journey.requireAccessible()
    await page.getByRole('menuitem', { name: /Ana Sol again/ }).click()
    await page.getByText('Ana Sol again is merged into this contact.').waitFor()
    const other = `/api/contacts/${ids['Ana Sol again']}`
    expect((await (await admin()).get(other)).status).toBe(404)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Ana Sol again is merged').waitFor({ state: 'detached' })
    await page.goto(`/contacts/${ids['Ana Sol again']}`)
    await page.getByRole('heading', { level: 1, name: 'Ana Sol again' }).waitFor()
  }, 60_000)

  test('is deleted, and comes back with the next message', async () => {
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Delete', exact: true }).click()
    await page
      .getByRole('dialog')
      .getByText(/comes back with its history/)
      .waitFor()
    await page.getByRole('button', { name: 'Delete Ana Sol again' }).click()
    await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor()
    expect((await (await admin()).get(`/api/contacts/${ids['Ana Sol again']}`)).status).toBe(404)
  }, 60_000)

  test('erases a person after saying what remains', async () => {
    await page.goto(`/contacts/${ids['Ben Luz']}`)
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Erase for good' }).click()
    await page.getByText(/What remains: numbers in reports/).waitFor()
    await journey.requireAccessible()
    await journey.picture('contact-erase')
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByRole('textbox', { name: /Why/ }).fill('Asked by letter')
    await page.getByRole('button', { name: 'Erase Ben Luz' }).click()
    await page.getByText('Ben Luz is being erased.').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor()
    expect((await (await admin()).get(`/api/contacts/${ids['Ben Luz']}`)).status).toBe(404)
  }, 60_000)

  test('had no error of the page', () => journey.finish(), 30_000)
})

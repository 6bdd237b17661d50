import { afterAll, beforeAll, expect, test } from 'bun:test'

import { SAMPLES } from '../../../../src/simulator/sample-files'
import type { Client } from '../../../support/client'
import { startMailbox, type Mailbox } from '../../../support/mailbox'
import { World } from '../../../support/world'

let mailbox: Mailbox
let world: World
let admin: Client
let logoUrl: string

const LOOK = '/api/auth/branding'
const NOTHING = { name: null, logo_url: null }

beforeAll(async () => {
  mailbox = await startMailbox()
  world = await World.create({
    isConnected: false,
    tenants: 1,
    env: { SMTP_URL: mailbox.url, BASE_URL: 'https://chat.example.com' },
  })
  admin = await world.as('admin')
})

afterAll(async () => {
  await world.stop()
  await mailbox.stop()
})

/** Does something that sends a mail, and returns the mail. */
async function mailOf(act: () => Promise<unknown>): Promise<string> {
  mailbox.mails.length = 0
  await act()
  await world.settle()
  expect(mailbox.mails).toHaveLength(1)
  return mailbox.mails[0]?.text ?? ''
}

const invite = (email: string) => admin.post('/api/organizations/invitations', { email })
const forget = () =>
  world.anyone.post('/api/auth/password/forgot', { email: world.emailOf('admin', world.tenant) })

test('without a logo strangers see nothing, and mails are plain text', async () => {
  expect((await world.anyone.get(LOOK)).data).toEqual(NOTHING)
  expect(await mailOf(() => invite('first@example.com'))).not.toContain('text/html')
})

test('the logo stands on the sign-in page of an only organization, and in its mails', async () => {
  const form = new FormData()
  const png = await new Bun.Image(SAMPLES['image/jpeg']).resize(60, 20).png().bytes()
  form.set('logo', new File([new Uint8Array(png)], 'logo.png', { type: 'image/png' }))
  const { headers } = admin
  await fetch(`${world.url}/api/organizations/branding`, { method: 'PUT', body: form, headers })
  const { data } = await world.anyone.get(LOOK)
  logoUrl = String(data['logo_url'])
  expect(data).toEqual({ name: 'Acme', logo_url: expect.stringMatching(/^\/api\/logos\//) })
  const image = `<img src="https://chat.example.com${logoUrl}" alt="Acme"`
  expect(await mailOf(() => invite('guest@example.com'))).toContain(image)
  expect(await mailOf(forget)).toContain(image)
})

test('an invitation shows the logo to the owner of its link', async () => {
  const { data } = await admin.post('/api/organizations/invitations', {})
  const preview = await world.anyone.post('/api/auth/invitations/preview', { token: data['token'] })
  expect(preview.data).toMatchObject({ organization_name: 'Acme', logo_url: logoUrl })
})

test('with a second organization only those who are invited see the logo', async () => {
  await (await world.as('super')).post('/api/organizations', { name: 'Bolt' })
  expect((await world.anyone.get(LOOK)).data).toEqual(NOTHING)
  expect(await mailOf(() => invite('another@example.com'))).toContain(logoUrl)
  expect(await mailOf(forget)).not.toContain('text/html')
})

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { startMailbox, type Mailbox } from '../support/mailbox'
import { personWith } from '../support/people'
import { codeOf, switchOn } from '../support/second-factor'
import { changeRows } from '../support/sql'
import { PASSWORD } from '../support/world'
import { CHROMIUM } from './support/chromium'
import { LiveWorld, type Journey } from './support/journey'

const NEXT = 'a better horse, a better battery'
/** Wrong passwords after which an account is locked. */
const ATTEMPTS = 10

describe.skipIf(CHROMIUM === null)('signing in', () => {
  let live: LiveWorld
  let mailbox: Mailbox

  beforeAll(async () => {
    mailbox = await startMailbox()
    live = await LiveWorld.create({
      env: { SMTP_URL: mailbox.url, MAIL_FROM: 'Switchboard <desk@example.com>' },
    })
  }, 30_000)

  afterAll(async () => {
    await live.stop()
    await mailbox.stop()
  })

  const isIn = ({ page }: Journey): Promise<void> =>
    page.getByRole('navigation', { name: 'Main' }).waitFor()

  /** Opens the page that the latest mail leads to. */
  async function openMail(): Promise<Journey> {
    await live.world.eventually(() => mailbox.mails.length > 0)
    const { link = '' } = mailbox.mails.pop() ?? {}
    const { pathname, hash } = new URL(link)
    return await live.open({ path: pathname + hash, expected: [/status of 401/] })
  }

  test('leads to the page of the address and survives a reload', async () => {
    const journey = await live.open({ path: '/inbox?view=mine' })
    const { page } = journey
    await journey.requireAccessible()
    await journey.signIn('agent')
    expect(new URL(page.url()).search).toBe('?view=mine')
    await page.reload()
    await isIn(journey)
    expect(await page.evaluate('Object.keys(localStorage)')).toEqual(['signed-in'])
    await page.getByRole('button', { name: /Your account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await page.evaluate('Object.keys(localStorage)')).toEqual([])
    await journey.finish()
  }, 60_000)

  test('tells about a wrong password and a locked account, and asks for nothing before', async () => {
    const email = live.world.emailOf('manager', live.world.tenant)
    const journey = await live.open({ expected: [/status of (401|429)/] })
    const { page } = journey
    await page.getByRole('textbox', { name: 'Email' }).fill(email)
    await page.locator('input[name=password]').fill('wrong password')
    expect(journey.requests).toEqual(['GET /api/auth/branding'])
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('Email or password is wrong.').waitFor()
    for (let attempt = 1; attempt < ATTEMPTS; attempt += 1)
      await live.world.anyone.post('/api/auth/login', { email, password: 'wrong password' })
    await journey.enter(email, PASSWORD)
    await page.getByRole('alert').getByText('Too many attempts.').waitFor()
    await journey.finish()
  }, 90_000)

  test('asks for the code of a second factor', async () => {
    const { client, email } = await personWith(live.world, ['messages:read'])
    const { secret } = await switchOn(live.world, client)
    const journey = await live.open({ expected: [/status of 401/] })
    const { page } = journey
    await journey.enter(email, PASSWORD)
    await page.getByRole('heading', { name: 'Two-factor authentication' }).waitFor()
    await journey.requireAccessible()
    await page.getByRole('textbox', { name: 'Code' }).fill('000000')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('This code is wrong').waitFor()
    await page.getByRole('textbox', { name: 'Code' }).fill(codeOf(live.world, secret))
    await page.keyboard.press('Enter')
    await isIn(journey)
    await journey.finish()
  }, 60_000)

  test('replaces a password that somebody else chose before anything else', async () => {
    const admin = await live.world.as('admin')
    const email = 'jane@example.com'
    const { agent } = live.world.tenant.roleIds
    const body = { email, full_name: 'Jane Doe', password: PASSWORD, role_id: agent }
    expect((await admin.post('/api/users', body)).status).toBe(201)
    const journey = await live.open({ path: '/inbox?view=mine', expected: [/status of 400/] })
    const { page } = journey
    await journey.enter(email, PASSWORD)
    await page.getByRole('heading', { name: 'Choose a new password' }).waitFor()
    await journey.requireAccessible()
    // the password that was just typed is not asked for again
    await page.locator('input[name=new_password]').fill(PASSWORD)
    await page.locator('input[name=repeated]').fill(PASSWORD)
    await page.keyboard.press('Enter')
    const refusal = 'Choose another password than the current one.'
    await page.getByRole('alert').getByText(refusal).waitFor()
    await page.reload()
    await page.locator('input[name=current_password]').fill(PASSWORD)
    await page.locator('input[name=new_password]').fill(NEXT)
    await page.locator('input[name=repeated]').fill('something else')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('The passwords do not match.').waitFor()
    await page.locator('input[name=repeated]').fill(NEXT)
    await page.keyboard.press('Enter')
    await isIn(journey)
    expect(new URL(page.url()).search).toBe('?view=mine')
    await journey.finish()
  }, 60_000)

  test('sends a link by mail to somebody who forgot the password', async () => {
    const { email } = await personWith(live.world, ['messages:read'])
    const asking = await live.open()
    await asking.page.getByRole('button', { name: 'Forgot password?' }).click()
    await asking.page.getByRole('textbox', { name: 'Email' }).fill(email)
    await asking.page.getByRole('button', { name: 'Send link' }).click()
    await asking.page.getByRole('status').getByText('a link is on its way').waitFor()
    await asking.finish()

    const journey = await openMail()
    const { page } = journey
    await page.getByLabel('New password').fill(NEXT)
    await page.getByLabel('Repeat password').fill(NEXT)
    await journey.requireAccessible()
    await page.getByRole('button', { name: 'Save password' }).click()
    await page.getByRole('status').getByText('Password saved.').waitFor()
    expect(page.url()).not.toContain('token')
    await page.getByRole('link', { name: 'Sign in' }).click()
    await journey.enter(email, PASSWORD)
    await page.getByRole('alert').getByText('Email or password is wrong.').waitFor()
    await journey.enter(email, NEXT)
    await isIn(journey)
    await journey.finish()
  }, 60_000)

  test('takes somebody in who was invited by mail', async () => {
    const admin = await live.world.as('admin')
    const email = 'newcomer@example.com'
    await admin.post('/api/organizations/invitations', { email })
    const journey = await openMail()
    const { page } = journey
    await page.getByText(/You are invited to join Acme/).waitFor()
    // the first field to fill in has the focus
    await page.getByLabel('Full name').and(page.locator(':focus')).fill('Nora Comer')
    await page.getByLabel('Password').fill(NEXT)
    await journey.requireAccessible()
    await page.getByRole('button', { name: 'Join' }).click()
    // who joins is signed in
    await page.getByRole('button', { name: 'Your account: Nora Comer' }).waitFor()
    expect(page.url()).not.toContain('token')
    await page.reload()
    await page.getByRole('button', { name: 'Your account: Nora Comer' }).waitFor()
    await journey.finish()
  }, 60_000)

  test('tells people whose organization has moved the new address', async () => {
    const journey = await live.open({ expected: [/(status of|response code:) (409|401)/] })
    const { page } = journey
    await journey.signIn('agent')
    changeRows(
      live.world.program.http.db.sqlite,
      "update organizations set state = 'moved', moved_to = 'https://b.example.com', deletes_at_ms = 1",
    )
    // A request in the background may have ended the session before the click.
    const signIn = page.getByRole('heading', { name: 'Sign in' })
    await Promise.race([page.getByRole('link', { name: 'Settings' }).click(), signIn.waitFor()])
    await signIn.waitFor()
    await journey.enter(live.world.emailOf('agent', live.world.tenant), PASSWORD)
    await page.getByRole('alert').getByText('moved to https://b.example.com').waitFor()
    await journey.enter(live.world.emailOf('super', live.world.tenant), PASSWORD)
    await isIn(journey)
    await journey.finish()
  }, 60_000)
})

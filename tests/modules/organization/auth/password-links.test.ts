import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import type { Answer, Loose } from '../../../support/client'
import { startMailbox, type Mailbox } from '../../../support/mailbox'
import { personWith, type OwnRole } from '../../../support/people'
import { switchOn } from '../../../support/second-factor'
import { stayInAll } from '../../../support/staying'
import { auditOf } from '../../../support/tokens'
import { PASSWORD, World } from '../../../support/world'
import { changeRows } from '../../../support/sql'

const NEXT = 'a better horse, a better battery'

let mailbox: Mailbox
let world: World
let person: OwnRole

beforeAll(async () => {
  mailbox = await startMailbox()
  world = await World.create({
    isConnected: false,
    env: {
      SMTP_URL: mailbox.url,
      MAIL_FROM: 'Switchboard <desk@example.com>',
      BASE_URL: 'https://chat.example.com',
      TRUSTED_PROXIES: '127.0.0.1',
    },
  })
})

afterAll(async () => {
  await world.stop()
  await mailbox.stop()
})

test('an email shows control characters in the name of an organization instead of obeying them', async () => {
  const admin = await world.as('admin')
  const { sqlite } = world.program.http.db
  changeRows(sqlite, 'update organizations set name = ? where id = ?', [
    'Evil\r\nBcc: all@example.com \u001b[2J\u202e',
    world.tenant.id,
  ])
  expect(
    (await admin.post('/api/organizations/invitations', { email: 'guest@example.com' })).data[
      'mail'
    ],
  ).toBe('queued')
  await world.settle()
  changeRows(sqlite, 'update organizations set name = ? where id = ?', [
    world.tenant.name,
    world.tenant.id,
  ])
  const [mail] = mailbox.mails
  expect(mail?.to).toEqual(['guest@example.com'])
  expect(mail?.text).toContain('join Evil Bcc: all@example.com \\u001b[2J\\u202e.')
  expect(mail?.text.replaceAll(/[\r\n\t]/g, '')).not.toMatch(/[\p{Cc}\u202e]/u)
})

beforeEach(async () => {
  world.clock.advance({ minutes: 16 })
  mailbox.mails.length = 0
  mailbox.refusal = null
  person = await personWith(world, ['users:read'])
})

let addresses = 0

/** Somebody with an address of their own. */
const stranger = () => {
  addresses += 1
  return world.anyone.with({ 'x-forwarded-for': `10.2.0.${addresses}` })
}

const forget = (email: string): Promise<Answer<Loose>> =>
  stranger().post('/api/auth/password/forgot', { email })
const reset = (token: string, password = NEXT): Promise<Answer<Loose>> =>
  stranger().post('/api/auth/password/reset', { token, new_password: password })
const login = (password: string): Promise<Answer<Loose>> =>
  stranger().post('/api/auth/login', { email: person.email, password })
const verdict = ({ status, body }: Answer<unknown>): [number, string | undefined] => [
  status,
  body.code,
]
const tokenOf = (link: string): string => link.split('#token=')[1] ?? ''

/** Asks for a link and reads it in the mail. */
async function mailedToken(): Promise<string> {
  await forget(person.email)
  await world.settle()
  return tokenOf(mailbox.mails.at(-1)?.link ?? '')
}

describe('a password reset', () => {
  stayInAll(() => world, 'sign-ins')
  test('sends a link that sets a new password once and ends every session', async () => {
    const { status, data } = await forget(` ${person.email.toUpperCase()} `)
    expect([status, Object.keys(data)]).toEqual([200, ['message']])
    await world.settle()
    expect(mailbox.mails).toHaveLength(1)
    const [mail] = mailbox.mails
    expect([mail?.to, mail?.from]).toEqual([[person.email], 'desk@example.com'])
    expect(mail?.link).toMatch(/^https:\/\/chat\.example\.com\/reset-password#token=[\w-]{43}$/)
    const token = tokenOf(mail?.link ?? '')
    expect((await reset(token)).data).toEqual({ message: expect.any(String) })
    expect([(await login(PASSWORD)).status, (await login(NEXT)).status]).toEqual([401, 200])
    expect(verdict(await person.client.get('/api/me'))).toEqual([401, 'session_ended'])
    expect(verdict(await reset(token))).toEqual([400, 'reset_invalid'])
    expect(auditOf(world, 'password_reset').at(-1)).toMatchObject({ user_id: person.userId })
    const fresh = world.anyone.with({
      authorization: `Bearer ${(await login(NEXT)).data['access_token']}`,
    })
    expect(((await fresh.get('/api/me/notifications')).data['items'] as Loose[])[0]).toMatchObject({
      kind: 'credentials_changed',
    })
  })

  test('answers every email alike', async () => {
    const [known, unknown] = [await forget(person.email), await forget('nobody@example.com')]
    expect(unknown.body).toEqual(known.body)
    expect(unknown.status).toBe(known.status)
    await world.settle()
    expect(mailbox.mails.map(({ to }) => to)).toEqual([[person.email]])
  })

  test('has a link for an hour, which a newer link replaces', async () => {
    const first = await mailedToken()
    const second = await mailedToken()
    expect(verdict(await reset(first))).toEqual([400, 'reset_invalid'])
    world.clock.advance({ minutes: 60 })
    expect(verdict(await reset(second))).toEqual([400, 'reset_invalid'])
    const third = await mailedToken()
    world.clock.advance({ minutes: 59 })
    expect((await reset(third)).status).toBe(200)
  })

  test('can be requested five times in 15 minutes, whether the email is known or not', async () => {
    for (const email of [person.email, 'somebody@example.com']) {
      const answers: number[] = []
      for (let round = 0; round < 6; round += 1) answers.push((await forget(email)).status)
      expect(answers).toEqual([200, 200, 200, 200, 200, 429])
    }
  })

  test('requires a valid email', async () => {
    expect((await forget('a@b@c')).status).toBe(400)
    expect((await forget('')).status).toBe(400)
  })

  test('keeps the link if the new password is invalid', async () => {
    const token = await mailedToken()
    const answer = await reset(token, '1234567')
    expect([answer.status, answer.body.errors?.map(({ path }) => path)]).toEqual([
      400,
      ['body.new_password'],
    ])
    expect((await reset(token)).status).toBe(200)
  })

  test('used twice at the same moment succeeds once', async () => {
    const token = await mailedToken()
    const answers = await Promise.all([reset(token, `${NEXT} 1`), reset(token, `${NEXT} 2`)])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400])
  })

  test('is revoked by a new email or password of the account', async () => {
    const first = await mailedToken()
    await person.client.put('/api/me/password', { current_password: PASSWORD, new_password: NEXT })
    expect(verdict(await reset(first))).toEqual([400, 'reset_invalid'])
  })

  test('leaves two-factor authentication enabled', async () => {
    await switchOn(world, person.client)
    await reset(await mailedToken())
    expect(verdict(await login(NEXT))).toEqual([401, 'two_factor_required'])
  })

  test('sends no email to a disabled account', async () => {
    world.rows('update users set is_disabled = 1 where id = ?', person.userId)
    await forget(person.email)
    await world.settle()
    expect(mailbox.mails).toEqual([])
  })
})

describe('an email', () => {
  const jobs = (): Loose[] =>
    world.rows("select state, errors from jobs where kind = 'mail.send' order by id desc limit 1")

  test('is sent again when the server asks for it, and arrives once', async () => {
    mailbox.refusal = 451
    await forget(person.email)
    await world.settle()
    expect(mailbox.mails).toEqual([])
    expect(jobs()[0]).toMatchObject({
      state: 'retryable',
      errors: expect.stringContaining('the mail server responded with 451') as string,
    })
    mailbox.refusal = null
    world.clock.advance({ minutes: 5 })
    await world.settle()
    expect(mailbox.mails).toHaveLength(1)
  })

  test('waits while the server is unreachable or rejects the login', async () => {
    for (const url of ['smtp://127.0.0.1:9', mailbox.url.replace('smtp-pass-word', 'another')]) {
      await using apart = await World.create({
        isConnected: false,
        tenants: 1,
        env: { SMTP_URL: url },
      })
      await apart.anyone.post('/api/auth/password/forgot', {
        email: apart.emailOf('agent', apart.tenant),
      })
      await apart.settle()
      expect(apart.rows("select state from jobs where kind = 'mail.send'")).toEqual([
        { state: 'retryable' },
      ])
      expect(
        JSON.stringify(apart.rows("select errors from jobs where kind = 'mail.send'")),
      ).toMatch(/the mail server/)
    }
    expect(mailbox.mails).toEqual([])
  })

  test('is given up after a permanent rejection and listed as failed', async () => {
    mailbox.refusal = 550
    await forget(person.email)
    await world.settle()
    expect(jobs()[0]).toMatchObject({
      state: 'discarded',
      errors: expect.stringContaining('the mail server responded with 550') as string,
    })
  })

  test('is not sent if its link has expired', async () => {
    mailbox.refusal = 451
    await forget(person.email)
    await world.settle()
    mailbox.refusal = null
    world.clock.advance({ hours: 7 })
    await world.settle()
    expect(mailbox.mails).toEqual([])
  })

  test('is queued with encrypted address and link, which the log does not contain', async () => {
    mailbox.refusal = 451
    await forget(person.email)
    await world.settle()
    const waiting = JSON.stringify(world.rows('select * from jobs'))
    mailbox.refusal = null
    world.clock.advance({ minutes: 5 })
    await world.settle()
    const token = tokenOf(mailbox.mails[0]?.link ?? '')
    expect(token).toHaveLength(43)
    for (const text of [
      waiting,
      JSON.stringify(world.rows('select * from password_resets')),
      world.logLines.join('\n'),
    ]) {
      expect(text).not.toContain(token)
      expect(text).not.toContain(person.email)
      expect(text).not.toContain('smtp-pass-word')
    }
  })

  test('without a mail server is 503 for every address, and 400 for an invalid one', async () => {
    await using silent = await World.create({ isConnected: false })
    const answers = await Promise.all(
      [silent.emailOf('agent', silent.tenant), 'nobody@example.com', ' NOBODY@example.com '].map(
        (email) => silent.anyone.post('/api/auth/password/forgot', { email }),
      ),
    )
    expect(answers.map(verdict)).toEqual(
      Array.from({ length: 3 }, () => [503, 'mail_not_configured']),
    )
    expect(new Set(answers.map(({ body }) => body.message)).size).toBe(1)
    const { status, body } = await silent.anyone.post('/api/auth/password/forgot', {
      email: 'a@b@c',
    })
    expect([status, body.errors?.map(({ path }) => path)]).toEqual([400, ['body.email']])
  })
})

describe('a reset link created by an admin', () => {
  test('is shown once, works for a day and is emailed too', async () => {
    const admin = await world.as('admin')
    const { status, data } = await admin.post(`/api/users/${person.userId}/password-reset`)
    expect([status, Object.keys(data).toSorted()]).toEqual([201, ['expires_at', 'reset_url']])
    expect(Date.parse(data['expires_at'] as string) - world.clock.nowMs()).toBe(86_400_000)
    await world.settle()
    expect(mailbox.mails.map(({ to, link }) => [to, link])).toEqual([
      [[person.email], data['reset_url']],
    ])
    world.clock.advance({ hours: 23 })
    expect((await reset(tokenOf(data['reset_url'] as string))).status).toBe(200)
    expect(
      auditOf(world, 'created').filter(({ resource_type: type }) => type === 'password_reset_link'),
    ).toHaveLength(1)
  })
})

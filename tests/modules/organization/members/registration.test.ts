import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { auditOf, freshEmail, newcomer, newRole } from '../../../support/newcomers'
import { startMailbox, type Mailbox } from '../../../support/mailbox'
import { NOBODY } from '../../../support/routes'
import { codeOf, switchOn } from '../../../support/second-factor'
import { claimsOf } from '../../../support/tokens'
import { PASSWORD, World } from '../../../support/world'

let world: World
let admin: Client

beforeAll(async () => {
  world = await World.create({ isConnected: false, tenants: 3 })
  admin = await world.as('admin')
})

afterAll(() => world.stop())

const REGISTER = '/api/auth/register'
const INVITATIONS = '/api/organizations/invitations'

const form = (more: Loose = {}): Loose => ({
  email: freshEmail(),
  password: PASSWORD,
  full_name: 'Reg Istered',
  organization_id: world.tenant.id,
  ...more,
})

const register = (more: Loose = {}) => world.anyone.post(REGISTER, form(more))

/** Sets the registration policy of the first tenant. */
const setPolicy = (registration_policy: string) =>
  admin.put('/api/organizations/settings', { registration_policy })

const invite = async (more: Loose = {}): Promise<Loose> =>
  (await admin.post(INVITATIONS, more)).data

describe('registering with a new email', () => {
  test('creates an account there with the default role and signs it in', async () => {
    const body = form({ email: ' New.Person@Example.com ', full_name: ' New Person ' })
    using _stay = world.stays('sign-ins')
    const { status, data } = await world.anyone.post(REGISTER, body)
    expect(status).toBe(201)
    expect(data).toEqual({
      user: {
        id: expect.any(String),
        email: 'new.person@example.com',
        full_name: 'New Person',
        organization_id: world.tenant.id,
        role: { id: world.tenant.roleIds.agent, name: 'agent' },
      },
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      expires_in: 3600,
    })
    expect(claimsOf(data['access_token'] as string)).toMatchObject({
      org: world.tenant.id,
      sub: (data['user'] as Loose)['id'],
    })
    const me = await world.anyone
      .with({ authorization: `Bearer ${data['access_token']}` })
      .get('/api/me')
    expect(me.data).toMatchObject({
      default_organization_id: world.tenant.id,
      is_member: false,
      must_change_password: false,
    })
    expect(
      (await world.anyone.post('/api/auth/refresh', { refresh_token: data['refresh_token'] }))
        .status,
    ).toBe(200)
    expect(
      auditOf(world, (data['user'] as Loose)['id'] as string).map(({ action }) => action),
    ).toEqual(['created', 'member_added', 'signed_in'])
  })

  test('returns the refresh token as a cookie to browsers that ask for it', async () => {
    const { status, data, headers } = await register({ use_cookie: true })
    expect({
      status,
      token: data['refresh_token'],
      cookie: headers.get('set-cookie')?.includes('HttpOnly'),
    }).toEqual({
      status: 201,
      token: null,
      cookie: true,
    })
  })

  test.each([
    ['a short password', { password: '1234567' }, 'body.password'],
    ['a long password', { password: 'x'.repeat(257) }, 'body.password'],
    ['a blank name', { full_name: ' ' }, 'body.full_name'],
    ['an e-mail that is none', { email: 'a@b@c' }, 'body.email'],
    ['an organization that is no id', { organization_id: 'x' }, 'body.organization_id'],
  ])('rejects %s', async (_what, more, path) => {
    const { status, body } = await register(more)
    expect({ status, paths: body.errors?.map((problem) => problem.path) }).toEqual({
      status: 400,
      paths: [path],
    })
    expect(JSON.stringify(body)).not.toContain('1234567')
  })

  test('rejects an unknown organization', async () => {
    expect((await register({ organization_id: NOBODY })).status).toBe(404)
  })

  test('tells nothing of an organization until the input is right', async () => {
    const email = world.emailOf('admin', world.other)
    for (const wrong of [
      { password: 'short' },
      { invitation_token: 'no token' },
      { email, password: 'not the password' },
    ]) {
      const [there, nowhere] = [
        await register(wrong),
        await register({ ...wrong, organization_id: NOBODY }),
      ]
      expect([nowhere.status, nowhere.body.code]).toEqual([there.status, there.body.code])
      expect(nowhere.status).not.toBe(404)
    }
  })

  test('counts unknown organizations for the address and its /48', async () => {
    await using own = await World.create({
      ...{ isConnected: false, tenants: 1 },
      env: { TRUSTED_PROXIES: '127.0.0.1' },
    })
    own.stays('sign-ins')
    const from = (address: string, more: Loose = {}) =>
      own.anyone
        .with({ 'x-forwarded-for': address })
        .post(REGISTER, form({ organization_id: NOBODY, ...more }))
    for (let nth = 0; nth < 30; nth += 1) expect((await from('10.1.1.1')).status).toBe(404)
    expect((await from('10.1.1.1')).status).toBe(429)
    const there = { organization_id: own.tenant.id }
    expect((await from('10.1.1.2', there)).status).toBe(201)
    for (let nth = 0; nth < 100; nth += 1)
      expect((await from(`2001:db8:1:${(nth >> 2).toString(16)}::1`)).status).toBe(404)
    expect((await from('2001:db8:1:ffff::1', there)).body.code).toBe('too_many_failures')
    expect((await from('2001:db8:2::1', there)).status).toBe(201)
  })

  test('twice at the same moment creates one account and one membership', async () => {
    const body = form()
    const answers = await Promise.all([1, 2, 3].map(() => world.anyone.post(REGISTER, body)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409])
    const rows = world.rows(
      'select count(*) as memberships from memberships join users on users.id = user_id where email = ?',
      body['email'] as string,
    )
    expect(rows).toEqual([{ memberships: 1 }])
  })
})

describe('registering with the email of an account', () => {
  test('and its password joins without changing account, home or default organization', async () => {
    using _stay = world.stays('accounts of people')
    const { id, email } = await newcomer(world, { tenant: world.other })
    const { status, data } = await register({ email, full_name: 'Another Name' })
    expect(status).toBe(201)
    expect(data['user']).toMatchObject({
      id,
      full_name: 'New Comer',
      organization_id: world.tenant.id,
      role: { name: 'agent' },
    })
    const own = await (await world.signIn(email)).get('/api/me/organizations')
    expect(own.data['organizations']).toMatchObject([
      { name: 'Acme', is_default: false },
      { name: 'Bolt', is_default: true },
    ])
  })

  test('and a wrong password is rejected and counts as a failed sign-in', async () => {
    using _stay = world.stays('sign-ins')
    const { email } = await newcomer(world, { tenant: world.other })
    for (let attempt = 0; attempt < 10; attempt += 1)
      expect((await register({ email, password: 'not the password' })).body).toMatchObject({
        code: 'email_taken',
      })
    expect((await register({ email })).status).toBe(429)
    expect((await world.anyone.post('/api/auth/login', { email, password: PASSWORD })).status).toBe(
      429,
    )
    world.clock.advance({ minutes: 16 })
    admin = await world.as('admin')
  })

  test('of a member is rejected', async () => {
    expect((await register({ email: world.emailOf('agent', world.tenant) })).body.code).toBe(
      'already_member',
    )
  })

  test('does not lift a suspension', async () => {
    const { id, email } = await newcomer(world)
    await admin.put(`/api/users/${id}`, { is_active: false })
    expect((await register({ email })).body.code).toBe('membership_suspended')
  })

  test('of a person who was removed needs an invitation for 30 days', async () => {
    const { id, email } = await newcomer(world, { role: 'manager' })
    await admin.delete(`/api/users/${id}`)
    expect((await register({ email })).body.code).toBe('invitation_required')
    world.clock.advance({ hours: 24 * 30 - 1 })
    expect((await register({ email })).body.code).toBe('invitation_required')
    admin = await world.as('admin')
    const { token } = await invite({ email })
    expect((await register({ email, invitation_token: token })).status).toBe(201)
    expect((await admin.get(`/api/users/${id}`)).data).toMatchObject({ is_confirmed: true })
    await admin.delete(`/api/users/${id}`)
    world.clock.advance({ hours: 24 * 30 + 1 })
    expect((await register({ email })).status).toBe(201)
    admin = await world.as('admin')
  })

  test('of a person who left joins again, with no home organization', async () => {
    const { id, email, client } = await newcomer(world, { role: 'manager' })
    expect((await client.delete(`/api/me/organizations/${world.tenant.id}`)).status).toBe(200)
    expect(
      (await world.anyone.post('/api/auth/login', { email, password: PASSWORD })).body.code,
    ).toBe('no_membership')
    const { status, data } = await register({ email })
    expect({ status, role: (data['user'] as Loose)['role']['name'] }).toEqual({
      status: 201,
      role: 'agent',
    })
    expect((await admin.get(`/api/users/${id}`)).data).toMatchObject({ is_member: true })
    expect((await world.signIn(email)).token.length).toBeGreaterThan(100)
  })

  test('that is disabled is rejected after the right password', async () => {
    const { id, email } = await newcomer(world, { tenant: world.other })
    await (
      await world.as('super')
    )
      .with({ 'x-organization-id': world.other.id })
      .put(`/api/users/${id}`, { account_disabled: true })
    expect((await register({ email })).body.code).toBe('account_disabled')
    expect((await register({ email, password: 'not the password' })).body.code).toBe('email_taken')
  })
})

describe('registering with the email of an account with two-factor authentication', () => {
  test('requires a code, which works once, and counts a wrong one', async () => {
    const { id, email, client } = await newcomer(world, { tenant: world.other })
    const { secret } = await switchOn(world, client)
    expect((await register({ email })).body.code).toBe('two_factor_required')
    expect((await register({ email, code: '000000' })).body.code).toBe('two_factor_invalid')
    const { status, data } = await register({ email, code: codeOf(world, secret) })
    expect({ status, id: (data['user'] as Loose)['id'] }).toEqual({ status: 201, id })
    expect(
      (
        await world.anyone.post('/api/auth/login', {
          email,
          password: PASSWORD,
          code: codeOf(world, secret),
        })
      ).status,
    ).toBe(401)
  })

  test('records a failed sign-in in the audit log of the home organization', async () => {
    const { id, email } = await newcomer(world, { tenant: world.other })
    await register({ email, password: 'not the password' })
    expect(auditOf(world, id).at(-1)).toMatchObject({
      action: 'sign_in_failed',
      organization_id: world.other.id,
    })
  })
})

test('a registration repeated with its Idempotency-Key gets the first response again', async () => {
  const client = world.anyone.with({ 'idempotency-key': 'register-once' })
  const body = form()
  const [first, second] = [await client.post(REGISTER, body), await client.post(REGISTER, body)]
  expect(second.data).toEqual(first.data)
  expect(second.headers.get('idempotent-replay')).toBe('true')
  expect(JSON.stringify(second.body)).not.toContain('argon2')
})

test('an invitation is mailed if a mail server is configured, and its link joins', async () => {
  const mailbox = await startMailbox()
  const own = await World.create({
    isConnected: false,
    tenants: 1,
    env: { SMTP_URL: mailbox.url, BASE_URL: 'https://chat.example.com' },
  })
  try {
    const email = freshEmail()
    const { data } = await (await own.as('admin')).post(INVITATIONS, { email })
    await own.settle()
    expect(mailbox.mails).toMatchObject([{ to: [email], link: data['invite_url'] }])
    const link = new URLSearchParams(new URL(mailbox.mails[0]?.link ?? '').hash.slice(1))
    const joining = {
      email,
      invitation_token: link.get('token'),
      organization_id: link.get('organization_id'),
    }
    expect((await own.anyone.post(REGISTER, form(joining))).status).toBe(201)
    expect((await (await own.as('admin')).post(INVITATIONS, {})).data['mail']).toBe(
      'not_configured',
    )
  } finally {
    await own.stop()
    await mailbox.stop()
  }
})

describe('the mail state of an invitation', () => {
  let own: World
  let inviting: Client
  let mailbox: Mailbox

  beforeAll(async () => {
    mailbox = await startMailbox()
    own = await World.create({ isConnected: false, tenants: 2, env: { SMTP_URL: mailbox.url } })
    inviting = await own.as('admin')
  })

  afterAll(async () => {
    await own.stop()
    await mailbox.stop()
  })

  const mailNow = async (id: unknown): Promise<unknown> => {
    const { data } = await (await own.as('admin')).get(`${INVITATIONS}?limit=100`)
    return (data['items'] as Loose[]).find((one) => one['id'] === id)?.['mail']
  }

  test('is queued until the mail server accepts it, then sent', async () => {
    using _stay = own.stays('jobs')
    mailbox.refusal = null
    const { data } = await inviting.post(INVITATIONS, { email: freshEmail() })
    expect([data['mail'], await mailNow(data['id'])]).toEqual(['queued', 'queued'])
    await own.settle()
    expect(await mailNow(data['id'])).toBe('sent')
  })

  test('is failed after a permanent rejection, and its job is listed as failed', async () => {
    using _stay = own.stays('jobs')
    mailbox.refusal = 550
    const { data } = await inviting.post(INVITATIONS, { email: freshEmail() })
    await own.settle()
    expect([data['mail'], await mailNow(data['id'])]).toEqual(['queued', 'failed'])
    const failed = await inviting.get('/api/jobs?kind=mail.send&state=discarded')
    expect(failed.data['items']).toHaveLength(1)
    mailbox.refusal = null
    await inviting.post(`/api/jobs/${(failed.data['items'] as Loose[])[0]?.['id']}/retry`)
    expect(await mailNow(data['id'])).toBe('queued')
    await own.settle()
    expect(await mailNow(data['id'])).toBe('sent')
  })

  test('stays queued while retried and is failed after the last attempt', async () => {
    mailbox.refusal = 451
    const { data } = await inviting.post(INVITATIONS, {
      email: freshEmail(),
      expires_in_hours: 720,
    })
    await own.settle()
    expect(await mailNow(data['id'])).toBe('queued')
    for (let attempt = 2; attempt <= 8; attempt += 1) {
      own.clock.advance({ hours: 12 })
      await own.settle()
    }
    expect(await mailNow(data['id'])).toBe('failed')
  })

  test('is missing without an email, and invisible in other organizations', async () => {
    mailbox.refusal = null
    const { data } = await (await own.as('admin')).post(INVITATIONS, {})
    expect([data['mail'], await mailNow(data['id'])]).toEqual(['not_configured', null])
    expect((await (await own.as('admin', own.other)).get(INVITATIONS)).data['items']).toEqual([])
  })

  test('is missing without a mail server', async () => {
    const { data } = await admin.post(INVITATIONS, { email: freshEmail() })
    expect(data['mail']).toBe('not_configured')
  })
})

describe('the registration policy', () => {
  test('invitation requires a token and gives its role', async () => {
    await setPolicy('invitation')
    expect((await register()).body.code).toBe('invitation_required')
    const { token } = await invite({ role_id: world.tenant.roleIds.manager })
    const { status, data } = await register({ invitation_token: token })
    expect({ status, role: (data['user'] as Loose)['role']['name'] }).toEqual({
      status: 201,
      role: 'manager',
    })
    await setPolicy('open')
  })

  test('closed admits nobody, not even with an invitation', async () => {
    const { token } = await invite()
    await setPolicy('closed')
    for (const more of [{}, { invitation_token: token }])
      expect((await register(more)).body.code).toBe('registration_closed')
    expect((await admin.post(INVITATIONS, {})).body.code).toBe('registration_closed')
    expect((await world.anyone.post('/api/auth/invitations/preview', { token })).body.code).toBe(
      'invitation_invalid',
    )
    await setPolicy('open')
  })

  test('open requires an invitation if the installation has no open registration', async () => {
    const shut = await World.create({ isConnected: false, env: { OPEN_REGISTRATION: 'false' } })
    try {
      const answer = await shut.anyone.post(REGISTER, form({ organization_id: shut.tenant.id }))
      expect({ status: answer.status, code: answer.body.code }).toEqual({
        status: 403,
        code: 'invitation_required',
      })
    } finally {
      await shut.stop()
    }
  })
})

describe('an invitation', () => {
  test('is returned with its link once and listed without', async () => {
    const email = freshEmail()
    const made = await admin.post(INVITATIONS, { email: email.toUpperCase(), expires_in_hours: 2 })
    expect(made.status).toBe(201)
    const { token, invite_url, mail, ...shown } = made.data
    expect(shown).toEqual({
      id: expect.any(String),
      email,
      role_id: world.tenant.roleIds.agent,
      role_name: 'agent',
      status: 'pending',
      expires_at: new Date(world.clock.nowMs() + 2 * 3_600_000).toISOString(),
      accepted_at: null,
      accepted_by_user_id: null,
      invited_by: { id: world.tenant.userIds.admin, full_name: 'Acme admin' },
      created_at: new Date(world.clock.nowMs()).toISOString(),
    })
    expect(mail).toBe('not_configured')
    expect(invite_url).toEndWith(`/join#token=${token}&organization_id=${world.tenant.id}`)
    const { data } = await admin.get(`${INVITATIONS}?search=${email}`)
    expect(data['items']).toEqual([{ ...shown, mail: null }])
    expect(world.rows('select id from invitations where token_hash = ?', token as string)).toEqual(
      [],
    )
    expect(world.logLines.join('\n')).not.toContain(token as string)
  })

  test('is listed by state, newest first, among few and among many', async () => {
    await using own = await World.create({ isConnected: false })
    const inviting = await own.as('admin')
    const states = ['expired', 'pending', 'accepted', 'revoked']
    const ids: Record<string, unknown> = {}
    for (const state of states) {
      own.clock.advance({ seconds: 1 })
      ids[state] = (
        await inviting.post(INVITATIONS, {
          email: `${state}@example.com`,
          expires_in_hours: state === 'expired' ? 1 : 9,
        })
      ).data['id']
    }
    own.rows('update invitations set accepted_at_ms = 1 where id = ?', String(ids['accepted']))
    await inviting.delete(`${INVITATIONS}/${String(ids['revoked'])}`)
    own.clock.advance({ hours: 2 })
    const again = await own.as('admin')
    const listed = async (query: string): Promise<unknown[]> => {
      const { data } = await again.get(`${INVITATIONS}?${query}`)
      return [
        data['total'],
        ...(data['items'] as Loose[]).map(
          ({ id }) => states.find((state) => ids[state] === id) ?? 'another',
        ),
      ]
    }
    const MANY = 1_100
    for (const others of [0, MANY]) {
      if (others > 0) {
        const hex = "printf('01900000000070008001%012x', 1000000 + i * 1000 + invitations.rowid)"
        const fields =
          'organization_id, email, role_id, invited_by, expires_at_ms, accepted_at_ms, accepted_by_user_id, revoked_at_ms'
        own.rows(
          `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${others})
           insert into invitations (${fields}, id, token_hash, created_at_ms) select ${fields}, unhex(${hex}), ${hex}, i from invitations, n`,
        )
      }
      const rest = (shown: number): string[] =>
        Array.from({ length: Math.min(others, shown) }, () => 'another')
      for (const state of states)
        expect([state, await listed(`status=${state}&limit=3`)]).toEqual([
          state,
          [others + 1, state, ...rest(2)],
        ])
      expect(await listed('limit=4')).toEqual([4 * (others + 1), ...states.toReversed()])
      expect(await listed('search=REVOKED&limit=2')).toEqual([others + 1, 'revoked', ...rest(1)])
      expect(await listed('search=revoked&status=pending')).toEqual([0])
      expect(await listed('status=pending&limit=2&page=2')).toEqual([others + 1, ...rest(2)])
    }
  })

  test('needs no body: by default anyone can use it for a week with the default role', async () => {
    const { status, data } = await admin.post(INVITATIONS)
    expect([status, data]).toMatchObject([
      201,
      { email: null, role_name: 'agent', status: 'pending' },
    ])
    expect(Date.parse(String(data['expires_at'])) - world.clock.nowMs()).toBe(168 * 3_600_000)
  })

  test('is shown to the owner of the token', async () => {
    const { token, expires_at } = await invite()
    expect((await world.anyone.post('/api/auth/invitations/preview', { token })).data).toEqual({
      organization_id: world.tenant.id,
      organization_name: 'Acme',
      email: null,
      role_name: 'agent',
      logo_url: null,
      expires_at,
    })
  })

  test('is accepted by a signed-in person, once', async () => {
    const { id: userId, client } = await newcomer(world, { tenant: world.other })
    const { id, token } = await invite({ role_id: world.tenant.roleIds.manager })
    const joined = await client.post('/api/me/invitations/accept', { token })
    expect({ status: joined.status, data: joined.data }).toEqual({
      status: 201,
      data: { message: expect.any(String), organization_id: world.tenant.id, role_name: 'manager' },
    })
    const again = await newcomer(world, { tenant: world.other })
    expect((await again.client.post('/api/me/invitations/accept', { token })).body.code).toBe(
      'invitation_invalid',
    )
    const { data } = await admin.get(`${INVITATIONS}?status=accepted&limit=100`)
    expect((data['items'] as Loose[]).find((item) => item['id'] === id)).toMatchObject({
      status: 'accepted',
      accepted_by_user_id: userId,
    })
    expect(auditOf(world, id as string).map(({ action }) => action)).toEqual([
      'invited',
      'invitation_accepted',
    ])
  })

  test('accepted ten times at the same moment creates one membership', async () => {
    const { token } = await invite()
    const people = await Promise.all(
      Array.from({ length: 10 }, () => newcomer(world, { tenant: world.other })),
    )
    const before = (await admin.get('/api/users')).data['total'] as number
    const answers = await Promise.all(
      people.map(({ client }) => client.post('/api/me/invitations/accept', { token })),
    )
    expect(answers.filter(({ status }) => status === 201).length).toBe(1)
    expect((await admin.get('/api/users')).data['total']).toBe(before + 1)
  })

  test('is not used up by a rejected registration', async () => {
    const { token } = await invite()
    expect((await register({ invitation_token: token, password: 'short' })).status).toBe(400)
    expect(
      (await register({ invitation_token: token, email: world.emailOf('agent', world.tenant) }))
        .status,
    ).toBe(409)
    expect((await register({ invitation_token: token })).status).toBe(201)
  })

  test('is rejected for everybody but its recipient', async () => {
    const email = freshEmail()
    const { token } = await invite({ email })
    const { client } = await newcomer(world, { tenant: world.other })
    expect((await register({ invitation_token: token })).body.code).toBe(
      'invitation_email_mismatch',
    )
    expect((await client.post('/api/me/invitations/accept', { token })).body.code).toBe(
      'invitation_email_mismatch',
    )
    expect((await register({ invitation_token: token, email })).status).toBe(201)
  })

  test('is rejected for members, including suspended ones', async () => {
    const { token } = await invite()
    const agent = await world.as('agent')
    expect((await agent.post('/api/me/invitations/accept', { token })).body.code).toBe(
      'already_member',
    )
    const { id, email } = await newcomer(world)
    await (await world.as('admin', world.other)).post('/api/organizations/members', { user_id: id })
    await admin.put(`/api/users/${id}`, { is_active: false })
    const suspended = await world.signIn(email)
    expect((await suspended.post('/api/me/invitations/accept', { token })).body.code).toBe(
      'membership_suspended',
    )
  })

  const spoiled: [what: string, spoil: () => Promise<{ token: unknown; organization?: string }>][] =
    [
      ['unknown', async () => ({ token: 'unknown' })],
      [
        'revoked',
        async () => {
          const { id, token } = await invite()
          expect((await admin.delete(`${INVITATIONS}/${id}`)).status).toBe(200)
          expect((await admin.delete(`${INVITATIONS}/${id}`)).body.code).toBe('not_pending')
          return { token }
        },
      ],
      [
        'of another organization',
        async () => ({ token: (await invite())['token'], organization: world.other.id }),
      ],
      [
        'replaced by a second one for the same e-mail',
        async () => {
          const email = freshEmail()
          const { token } = await invite({ email })
          await invite({ email })
          expect(
            (await admin.get(`${INVITATIONS}?status=revoked&search=${email}`)).data['total'],
          ).toBe(1)
          return { token }
        },
      ],
      [
        'of somebody who is no longer active',
        async () => {
          const { id, client } = await newcomer(world, { role: 'admin' })
          const { data } = await client.post(INVITATIONS, {})
          await admin.put(`/api/users/${id}`, { is_active: false })
          return { token: data['token'] }
        },
      ],
      [
        'expired',
        async () => {
          const { token } = await invite({ expires_in_hours: 1 })
          world.clock.advance({ hours: 1 })
          admin = await world.as('admin')
          return { token }
        },
      ],
    ]
  for (const [what, spoil] of spoiled)
    test(`is rejected when it is ${what}`, async () => {
      const { token, organization } = await spoil()
      const answer = await register({
        invitation_token: token,
        ...(organization === undefined ? {} : { organization_id: organization }),
      })
      expect({ status: answer.status, code: answer.body.code }).toEqual({
        status: 400,
        code: 'invitation_invalid',
      })
      if (organization !== undefined) return
      expect((await world.anyone.post('/api/auth/invitations/preview', { token })).body.code).toBe(
        'invitation_invalid',
      )
      const { client } = await newcomer(world, { tenant: world.other })
      expect((await client.post('/api/me/invitations/accept', { token })).body.code).toBe(
        'invitation_invalid',
      )
    })

  test('gives the default role if its role was deleted', async () => {
    const roleId = await newRole(world, ['messages:read'])
    const { token, id } = await invite({ role_id: roleId })
    expect((await admin.delete(`/api/roles/${roleId}`)).status).toBe(200)
    const { data } = await admin.get(`${INVITATIONS}?status=pending&limit=100`)
    expect((data['items'] as Loose[]).find((item) => item['id'] === id)).toMatchObject({
      role_name: 'agent',
    })
    expect(
      ((await register({ invitation_token: token })).data['user'] as Loose)['role'],
    ).toMatchObject({ name: 'agent' })
  })

  test.each([
    ['more than the caller holds', { role: 'agent' }, 403, 'escalation'],
    ['a member', { email: 'agent@acme.example.com' }, 409, 'already_member'],
    ['a role of another organization', { role_id: 'foreign' }, 400, 'unknown_role'],
    ['an e-mail that is none', { email: 'a@b@c' }, 400, 'invalid_input'],
    ['more than 720 hours', { expires_in_hours: 721 }, 400, 'invalid_input'],
    ['no hours', { expires_in_hours: 0 }, 400, 'invalid_input'],
  ])('cannot be created for %s', async (_what, { role, ...rest }: Loose, status, code) => {
    const inviter =
      role === undefined
        ? admin
        : (await newcomer(world, { roleId: await newRole(world, ['organizations:assign']) })).client
    const body = rest['role_id'] === undefined ? rest : { role_id: world.other.roleIds.agent }
    const answer = await inviter.post(INVITATIONS, body)
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status, code })
  })

  test('of another organization is not found', async () => {
    const { data } = await (await world.as('admin', world.other)).post(INVITATIONS, {})
    expect((await admin.delete(`${INVITATIONS}/${data['id']}`)).status).toBe(404)
  })

  test("counts guessed tokens against the client's address", async () => {
    const own = await World.create({ isConnected: false, tenants: 1 })
    own.stays('sign-ins')
    try {
      const statuses: number[] = []
      for (let attempt = 0; attempt < 31; attempt += 1)
        statuses.push(
          (await own.anyone.post('/api/auth/invitations/preview', { token: `guess-${attempt}` }))
            .status,
        )
      expect({ last: statuses.at(-1), others: new Set(statuses.slice(0, -1)) }).toEqual({
        last: 429,
        others: new Set([400]),
      })
    } finally {
      await own.stop()
    }
  })
})

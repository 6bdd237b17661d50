import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { openMail } from '../../../../src/infra/mail/link-mail'
import type { Loose } from '../../../support/client'
import { upload } from '../../../support/files'
import { archiveOf, columnOf, packed, PASSPHRASE } from '../../../support/organization-archive'
import { World } from '../../../support/world'

/**
 * People of the archive who have an account here: one with the same password, one with another, and
 * one who has none.
 */
describe('the people of an imported organization', () => {
  let source: World
  let target: World
  let done: Loose
  const emails = { same: '', other: '', none: '' }

  beforeAll(async () => {
    source = await World.create()
    const contact = await source.contactOf()
    const admin = await source.as('admin')
    await admin.put(`/api/contacts/${contact['id']}/assign`, {
      user_id: source.tenant.userIds.manager,
    })
    await source.settle()
    target = await World.create({
      names: ['Crux'],
      firstId: 1_000_000,
      env: { SMTP_URL: 'smtp://127.0.0.1:9', BASE_URL: 'https://chat.example.com' },
    })
    emails.same = source.emailOf('admin', source.tenant)
    emails.other = source.emailOf('manager', source.tenant)
    emails.none = source.emailOf('agent', source.tenant)
    // Worlds have one hash for all: the admin's account here is a copy, the manager's is not.
    const { db } = target.program.http
    db.sqlite.run('update users set email = ?1 where email = ?2', [
      emails.same,
      target.emailOf('admin', target.tenant),
    ])
    db.sqlite.run('update users set email = ?1 where email = ?2', [
      emails.other,
      target.emailOf('manager', target.tenant),
    ])
    const archive = await archiveOf(source, source.tenant)
    const hash = columnOf(archive, 'users', 'password_hash')
    const email = columnOf(archive, 'users', 'email')
    for (const line of archive.parts.get('users') ?? [])
      if ((line as unknown[])[email] === emails.other) (line as unknown[])[hash] = null
    const superAdmin = await target.as('super')
    const started = await upload(superAdmin, {
      ...{ bytes: await packed(archive), path: '/api/admin/organizations/import', name: 'a.zip' },
      type: 'application/zip',
      fields: { passphrase: PASSPHRASE, dry_run: 'false' },
    })
    expect(started.data['conflicts']).toEqual([
      expect.objectContaining({ kind: 'email_exists', file: 'tables/users.ndjson' }),
      expect.objectContaining({ kind: 'email_exists', file: 'tables/users.ndjson' }),
    ])
    await target.work()
    done = (await superAdmin.get(`/api/admin/organizations/imports/${started.data['id']}`)).data
  })
  afterAll(async () => {
    await source.stop()
    await target.stop()
  })

  const membershipOf = (email: string): Loose | undefined =>
    target.rows(
      `select m.is_active as isActive, m.is_default as isDefault from memberships m
       join users u on u.id = m.user_id join organizations o on o.id = m.organization_id
       where u.email = ? and o.name = 'Acme'`,
      email,
    )[0]

  test('join with the account of the same password', () => {
    expect(done['state']).toBe('completed')
    expect(membershipOf(emails.same)).toEqual({ isActive: 1, isDefault: 0 })
    expect(target.rows('select 1 from users where email = ?', emails.same)).toHaveLength(1)
  })

  test('sign in with a new account and its password', async () => {
    expect(membershipOf(emails.none)).toEqual({ isActive: 1, isDefault: 1 })
    const agent = await target.signIn(emails.none)
    expect((await agent.get('/api/organizations/current')).data['id']).toBe(source.tenant.id)
  })

  test('are suspended with an account of another password until they confirm by mail', async () => {
    expect(membershipOf(emails.other)).toEqual({ isActive: 0, isDefault: 0 })
    const manager = await target.signIn(emails.other)
    const refused = await manager.post('/api/auth/switch-org', {
      organization_id: source.tenant.id,
    })
    expect([refused.status, refused.body.code]).toEqual([403, 'not_a_member'])
    // What was assigned to the person is assigned to the account.
    expect(
      target.rows(
        "select u.email from contacts c join users u on u.id = c.assigned_to join organizations o on o.id = c.organization_id where o.name = 'Acme'",
      ),
    ).toEqual([{ email: emails.other }])
    const token = tokenOfMail()
    const accepted = await manager.post('/api/me/invitations/accept', { token })
    expect(accepted.data['organization_id']).toBe(source.tenant.id)
    expect(membershipOf(emails.other)).toEqual({ isActive: 1, isDefault: 0 })
    expect((await manager.post('/api/me/invitations/accept', { token })).status).toBe(400)
  })

  /** The token in the mail that waits to be sent. */
  function tokenOfMail(): string {
    const [job] = target.rows<{ args: string }>(
      "select args from jobs where kind = 'mail.send' order by id desc limit 1",
    )
    const { sealed } = JSON.parse(job?.args ?? '{}') as { sealed: string }
    const mail = openMail(target.program.http, sealed)
    const link = 'link' in mail ? mail.link : ''
    return new URLSearchParams(new URL(link).hash.slice(1)).get('token') ?? ''
  }
})

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { leaveOutMissedReports } from '../../../../src/modules/insight/analytics/scheduled/leave-out-after-restore'
import {
  lastOccasion,
  nextOccasion,
} from '../../../../src/modules/insight/analytics/scheduled/rules'
import { setPrice } from '../../../support/campaigns'
import type { Answer, Client, Loose } from '../../../support/client'
import { startMailbox, type Mail, type Mailbox } from '../../../support/mailbox'
import { personWith, type OwnRole } from '../../../support/people'
import { changeRows } from '../../../support/sql'
import { World } from '../../../support/world'

let mailbox: Mailbox
let world: World

const PATH = '/api/analytics/scheduled-reports'

beforeEach(async () => {
  mailbox = await startMailbox()
  world = await World.create({
    env: {
      SMTP_URL: mailbox.url,
      MAIL_FROM: 'Switchboard <desk@example.com>',
      BASE_URL: 'https://chat.example.com',
    },
  })
})

afterEach(async () => {
  await world.stop()
  await mailbox.stop()
})

const managerId = (): string => world.tenant.userIds.manager
const adminId = (): string => world.tenant.userIds.admin

/** Schedules a report; expects 201. */
async function schedule(fields: Loose = {}, client?: Client): Promise<Loose> {
  const answer = await (client ?? (await world.as('manager'))).post(PATH, {
    reports: ['messages'],
    every: 'week',
    user_ids: [managerId()],
    ...fields,
  })
  if (answer.status !== 201) throw new Error(`not scheduled: ${JSON.stringify(answer.body)}`)
  return answer.data
}

const shown = async (): Promise<Loose[]> =>
  (await (await world.as('admin')).get(PATH)).data['items'] as Loose[]

/** Moves the clock to a time and does everything that is due. */
async function comes(time: string): Promise<Mail[]> {
  const before = mailbox.mails.length
  world.clock.advance({ ms: Date.parse(time) - world.clock.nowMs() })
  await world.settle()
  return mailbox.mails.slice(before)
}

/** The worlds begin on Saturday, 21 November 2026. */
const MONDAY = '2026-11-23T07:00:30Z'

describe('a scheduled report', () => {
  test('is sent once on Monday about the week before', async () => {
    await world.contactOf()
    const made = await schedule({ user_ids: [managerId(), adminId()] })
    expect(made).toMatchObject({
      at: '07:00',
      is_active: true,
      made_by: managerId(),
      next_at: '2026-11-23T07:00:00.000Z',
      last_at: null,
      last_outcome: null,
    })
    expect(await comes('2026-11-23T06:59:30Z')).toEqual([])
    const mails = await comes(MONDAY)
    expect(mails.map(({ to }) => to).flat()).toHaveLength(2)
    expect(mails[0]?.text).toContain('16 November 2026 to 22 November 2026')
    expect(mails[0]?.text).toMatch(/Total received: 1\s/)
    expect(await shown()).toMatchObject([
      { next_at: '2026-11-30T07:00:00.000Z', last_outcome: 'sent' },
    ])
    expect(await comes('2026-11-23T09:00:00Z')).toEqual([])
    expect(await comes('2026-11-30T07:01:00Z')).toHaveLength(2)
  })

  test('counts the contacts of its week, and none of the morning on which it is sent', async () => {
    await world.contactOf()
    await schedule({ reports: ['dashboard'] })
    await comes('2026-11-23T06:00:00Z')
    await world.contactOf()
    const [mail] = await comes(MONDAY)
    expect(mail?.text).toMatch(/Contacts: total: 2\s/)
    expect(mail?.text).toMatch(/Contacts: new in period: 1\s/)
  })

  test('shows each sum of money in its own currency', async () => {
    setPrice(world, { category: 'SERVICE', micros: 7_000, currency: 'EUR' })
    world.simulator.freeServiceMessages(0)
    const contact = await world.contactOf()
    const manager = await world.as('manager')
    for (const text of ['Hello', 'Goodbye'])
      await manager.post(`/api/contacts/${String(contact['id'])}/messages`, { type: 'text', text })
    await world.settle()
    const { sqlite } = world.program.http.db
    sqlite.run(
      "update messages set cost_currency = 'INR', cost_micros = 5000 where row = (select max(row) from messages)",
    )
    sqlite.run(
      `insert into ai_usage (organization_id, id, account_id, purpose, provider, model, day, reserved_tokens, reserved_micros, input_tokens, output_tokens, cost_micros, outcome, created_at_ms, settled_at_ms)
       select organization_id, x'01990000000070008000000000000001', account_id, 'answer', 'openai', 'gpt', 20261121, 0, 0, 10, 20, 300000, 'answered', created_at_ms, created_at_ms from conversations limit 1`,
    )
    await schedule({ reports: ['costs', 'dashboard'] })
    const [mail] = await comes(MONDAY)
    const lines = mail?.text.split(/\r?\n/) ?? []
    expect(lines.filter((line) => /^(AI cost|Cost): /.test(line))).toEqual([
      'Cost: 0.007 EUR',
      'Cost: 0.005 INR',
      'AI cost: 0.30 USD',
    ])
    expect(lines.filter((line) => line.startsWith('Campaigns: '))).toEqual([
      'Campaigns: total: 0',
      'Campaigns: active: 0',
    ])
  })

  test('keeps its local time when the organization moves to another time zone', async () => {
    await schedule()
    const admin = await world.as('admin')
    const moves = async (timezone: string): Promise<unknown> => {
      expect((await admin.put('/api/organizations/settings', { timezone })).status).toBe(200)
      await world.settle()
      return (await shown())[0]?.['next_at']
    }
    expect(await moves('Asia/Tokyo')).toBe('2026-11-22T22:00:00.000Z')
    expect(await moves('America/New_York')).toBe('2026-11-23T12:00:00.000Z')
    expect(await comes('2026-11-23T11:59:00Z')).toEqual([])
    expect(await comes('2026-11-23T12:01:00Z')).toHaveLength(1)
    // On Monday morning the clocks jump over the time of sending, and back before it.
    await comes('2026-11-30T11:00:00Z')
    await (await world.as('admin')).put('/api/organizations/settings', { timezone: 'Asia/Tokyo' })
    await world.settle()
    const mails = await comes('2026-11-30T12:01:00Z')
    expect(mails.map(({ text }) => text.includes('23 November 2026 to 29 November'))).toEqual([
      true,
    ])
    await (await world.as('admin')).put('/api/organizations/settings', { timezone: 'UTC' })
    expect(await comes('2026-11-30T23:00:00Z')).toEqual([])
    expect((await shown())[0]?.['next_at']).toBe('2026-12-07T07:00:00.000Z')
  })

  test('of a month is sent on the first, in the time zone of the organization', async () => {
    const admin = await world.as('admin')
    await admin.put('/api/organizations/settings', { timezone: 'Asia/Kolkata' })
    const made = await schedule({ every: 'month', at: '08:30' })
    expect(made['next_at']).toBe('2026-12-01T03:00:00.000Z')
    const [mail] = await comes('2026-12-01T03:01:00Z')
    expect(mail?.text).toContain('1 November 2026 to 30 November 2026')
  })

  test('after downtime is sent for the newest week only, and within three days', async () => {
    await schedule()
    const mails = await comes('2026-12-10T06:00:00Z')
    expect(mails).toHaveLength(1)
    expect(mails[0]?.text).toContain('30 November 2026 to 6 December 2026')
    expect(await comes('2026-12-18T08:00:00Z')).toEqual([])
    expect(await shown()).toMatchObject([
      {
        next_at: '2026-12-21T07:00:00.000Z',
        last_outcome: 'too_late',
        last_at: '2026-12-18T08:00:00.000Z',
      },
    ])
    expect(await comes('2026-12-21T07:01:00Z')).toHaveLength(1)
    expect(await shown()).toMatchObject([{ last_outcome: 'sent' }])
  })

  test('that began in time is not sent weeks later, beside the newest one', async () => {
    await schedule()
    mailbox.refusal = 450
    await comes(MONDAY)
    expect(await shown()).toMatchObject([{ last_outcome: 'sending' }])
    mailbox.refusal = null
    const mails = await comes('2026-12-10T06:00:00Z')
    expect(mails.map(({ text }) => /\d+ \w+ 2026 to \d+ \w+ 2026/.exec(text)?.[0])).toEqual([
      '30 November 2026 to 6 December 2026',
    ])
    expect(
      world.rows('select start_date, state from scheduled_report_runs order by start_date'),
    ).toEqual([
      { start_date: '2026-11-16', state: 'too_late' },
      { start_date: '2026-11-30', state: 'sent' },
    ])
    expect(world.rows("select state from scheduled_report_mails where state <> 'sent'")).toEqual([
      { state: 'too_late' },
    ])
    const manager = await world.as('manager')
    const { data } = await manager.get('/api/me/notifications')
    expect((data['items'] as Loose[]).filter(({ kind }) => kind === 'report_failed')).toEqual([])
  })

  test.each([
    ['2026-11-26T07:00:00Z', 1, 'sent'],
    ['2026-11-26T07:00:01Z', 0, 'too_late'],
  ])(
    'that is still to be sent at %s is sent within three days of its time',
    async (time, mails, outcome) => {
      await (await world.as('admin')).put('/api/organizations/settings', { timezone: 'UTC' })
      await schedule()
      mailbox.refusal = 450
      await comes(MONDAY)
      mailbox.refusal = null
      expect(await comes(time)).toHaveLength(mails)
      expect(await shown()).toMatchObject([{ last_outcome: outcome }])
    },
  )

  test('that a person asked for is sent within three days of the request', async () => {
    const { id } = await schedule({ is_active: false })
    const ask = async () =>
      (await (await world.as('manager')).post(`${PATH}/${String(id)}/send`)).status
    mailbox.refusal = 450
    expect(await ask()).toBe(202)
    await world.settle()
    mailbox.refusal = null
    expect(await comes('2026-11-24T09:30:00Z')).toHaveLength(1)
    mailbox.refusal = 450
    expect(await ask()).toBe(202)
    await world.settle()
    mailbox.refusal = null
    expect(await comes('2026-11-27T09:30:01Z')).toHaveLength(0)
    expect(await shown()).toMatchObject([{ last_outcome: 'too_late' }])
  })

  test('whose time comes while it is sent stays sent to those who have it', async () => {
    await schedule({ user_ids: [managerId(), adminId()] })
    mailbox.beforeAnswer = () => {
      mailbox.beforeAnswer = null
      world.clock.advance({ hours: 73 })
      return Promise.resolve()
    }
    expect(await comes(MONDAY)).toHaveLength(1)
    expect(
      world.rows('select state, count(*) as n from scheduled_report_mails group by state'),
    ).toEqual([
      { state: 'sent', n: 1 },
      { state: 'too_late', n: 1 },
    ])
    expect(await shown()).toMatchObject([{ last_outcome: 'too_late' }])
    expect(await comes('2026-11-30T07:01:00Z')).toHaveLength(2)
  })

  test('that may have arrived is the same email when it is repeated, also from another address', async () => {
    await schedule()
    mailbox.beforeAnswer = () => {
      mailbox.beforeAnswer = null
      world.program.http.settings.baseUrl = 'https://other.example.com'
      return Promise.reject(new Error('the connection broke'))
    }
    const first = await comes(MONDAY)
    const second = await comes('2026-11-23T09:00:00Z')
    const [one, two] = [...first, ...second].map(
      ({ text }) => /^Message-ID: (\S+)/im.exec(text)?.[1],
    )
    expect([first.length, second.length]).toEqual([1, 1])
    expect(two).toBe(one as string)
    expect(one).toMatch(/^<[0-9a-f]{40}@reports\.switchboard>$/)
  })

  test('leaves out and takes off those who may not read reports any more', async () => {
    const reader: OwnRole = await personWith(world, ['analytics:read'])
    await schedule({ user_ids: [managerId(), reader.userId] })
    reader.may('contacts:read')
    const mails = await comes(MONDAY)
    expect(mails.map(({ to }) => to)).not.toContainEqual([reader.email])
    expect(mails).toHaveLength(1)
    expect(await shown()).toMatchObject([{ user_ids: [managerId()], last_outcome: 'sent' }])
  })

  test('leaves out and takes off who is deactivated here, or everywhere', async () => {
    const [away, gone, stays] = [
      await personWith(world, ['analytics:read']),
      await personWith(world, ['analytics:read']),
      await personWith(world, ['analytics:read']),
    ]
    await schedule({ user_ids: [away.userId, gone.userId, stays.userId] })
    const admin = await world.as('admin')
    const one = await admin.put(`/api/users/${away.userId}`, { is_active: false })
    expect(one.status).toBe(200)
    changeRows(world.program.http.db.sqlite, 'update users set is_disabled = 1 where id = ?', [
      gone.userId,
    ])
    expect((await comes(MONDAY)).map(({ to }) => to)).toEqual([[stays.email]])
    expect(await shown()).toMatchObject([{ user_ids: [stays.userId], last_outcome: 'sent' }])
    // Who comes back is not put on the list again.
    await (await world.as('admin')).put(`/api/users/${away.userId}`, { is_active: true })
    expect((await comes('2026-11-30T07:00:30Z')).map(({ to }) => to)).toEqual([[stays.email]])
  })

  test('is tried three times, then its maker is notified once', async () => {
    await schedule()
    mailbox.refusal = 450
    await comes(MONDAY)
    for (let hour = 8; hour < 22; hour += 1)
      await comes(`2026-11-23T${String(hour).padStart(2, '0')}:00:00Z`)
    expect(await shown()).toMatchObject([{ last_outcome: 'failed' }])
    const manager = await world.as('manager')
    const { data } = await manager.get('/api/me/notifications')
    const notices = (data['items'] as Loose[]).filter(({ kind }) => kind === 'report_failed')
    expect(notices).toMatchObject([{ title: 'Weekly report could not be sent' }])
    expect(String(notices[0]?.['body'])).toContain('the mail server responded with 450')
    mailbox.refusal = null
    expect(await comes('2026-11-30T07:01:00Z')).toHaveLength(1)
  })

  test('can be sent at once, also again', async () => {
    const { id } = await schedule()
    const manager = await world.as('manager')
    const press = async () => (await manager.post(`${PATH}/${String(id)}/send`)).status
    expect(await press()).toBe(202)
    world.clock.advance({ ms: 1 })
    expect(await press()).toBe(202) // before the email has gone
    await world.settle()
    world.clock.advance({ minutes: 1 })
    await press()
    const { admin, manager: own } = world.tenant.userIds
    await manager.put(`${PATH}/${String(id)}`, { user_ids: [own, admin] })
    world.clock.advance({ ms: 1 })
    await press() // for somebody who has no email on its way
    await world.settle()
    expect(mailbox.mails).toHaveLength(4)
    expect(mailbox.mails[0]?.text).toContain('9 November 2026 to 15 November 2026')
    expect(await comes(MONDAY)).toHaveLength(2)
  })

  test('of somebody else is changed with settings:update only', async () => {
    const reader = await personWith(world, ['analytics:read'])
    const { id } = await schedule()
    const path = `${PATH}/${String(id)}`
    expect((await reader.client.put(path, { at: '09:00' })).status).toBe(403)
    expect((await reader.client.delete(path)).status).toBe(403)
    expect((await reader.client.post(`${path}/send`)).status).toBe(403)
    const admin = await world.as('admin')
    expect((await admin.put(path, { at: '09:00' })).data).toMatchObject({
      next_at: '2026-11-23T09:00:00.000Z',
    })
    expect((await admin.put(path, { is_active: false })).data).toMatchObject({ next_at: null })
    expect((await admin.put(path, { every: 'month' })).data).toMatchObject({
      at: '09:00',
      is_active: false,
      next_at: null,
    })
    await admin.put(path, { every: 'week' })
    expect(await comes('2026-11-23T09:01:00Z')).toEqual([])
    expect((await (await world.as('admin')).delete(path)).status).toBe(200)
    expect(await shown()).toEqual([])
  })

  test('belongs to the organization when its maker leaves', async () => {
    const reader = await personWith(world, ['analytics:read'])
    await schedule({ user_ids: [reader.userId, managerId()] }, reader.client)
    const admin = await world.as('admin')
    expect((await admin.delete(`/api/users/${reader.userId}`)).status).toBe(200)
    expect(await shown()).toMatchObject([{ made_by: null, user_ids: [managerId()] }])
    expect(await comes(MONDAY)).toHaveLength(1)
  })

  test('is refused for people who may not read reports, and beyond twenty', async () => {
    const manager = await world.as('manager')
    const tried = (fields: Loose): Promise<Answer<Loose>> =>
      manager.post(PATH, { reports: ['costs'], every: 'week', user_ids: [managerId()], ...fields })
    const { agent } = world.tenant.userIds
    const refused = await tried({ user_ids: [managerId(), agent] })
    expect([refused.status, refused.body.errors?.map(({ path }) => path)]).toEqual([
      400,
      ['body.user_ids.1'],
    ])
    expect((await tried({ user_ids: [world.other.userIds.manager] })).status).toBe(400)
    expect((await tried({ reports: ['weather'] })).status).toBe(400)
    expect((await tried({ at: '25:00' })).status).toBe(400)
    expect((await tried({ every: 'day' })).status).toBe(400)
    for (let nth = 0; nth < 20; nth += 1) expect((await tried({})).status).toBe(201)
    expect([(await tried({})).status]).toEqual([409])
    expect((await (await world.as('agent')).get(PATH)).status).toBe(403)
  })

  test('that was missed before a restore is left out', async () => {
    await schedule()
    world.clock.advance({ hours: 72 })
    leaveOutMissedReports(world.program.http)
    await world.settle()
    expect(mailbox.mails).toEqual([])
    expect(await shown()).toMatchObject([{ next_at: '2026-11-30T07:00:00.000Z' }])
  })
})

describe('its email', () => {
  test('uses only what mail programs show', async () => {
    await world.contactOf()
    await schedule({
      reports: ['dashboard', 'messages', 'chatbot', 'agents', 'campaigns', 'costs'],
    })
    const [mail] = await comes(MONDAY)
    const text = mail?.text ?? ''
    const html = text.slice(text.indexOf('<!doctype html>'), text.indexOf('</html>'))
    const tags = new Set([...html.matchAll(/<([a-z]\w*)/g)].map(([, tag]) => String(tag)))
    const shownTags = 'html head meta title style body table tr td th h1 h2 h3 p a'.split(' ')
    expect([...tags].filter((tag) => !shownTags.includes(tag))).toEqual([])
    const styles = new Set(
      [...html.matchAll(/style="([^"]*)"/g)].flatMap(([, all]) =>
        String(all)
          .split(';')
          .map((one) => one.split(':')[0]?.trim() ?? ''),
      ),
    )
    const shownStyles = [
      ...['margin', 'padding', 'color', 'background-color', 'width', 'max-width', 'height'],
      ...['font-family', 'font-size', 'font-weight', 'line-height', 'border-bottom'],
    ]
    expect([...styles].filter((style) => !shownStyles.includes(style))).toEqual([])
    expect(html).not.toMatch(/https?:\/\/(?!chat\.example\.com)|url\(|src=|@import/)
    expect(text.match(/filename="?\w+-2026-11-16-to-2026-11-22\.csv/g)).toHaveLength(6)
    expect(text).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
    expect(html).toContain('bgcolor="#2f6feb"')
  })

  test('has a link with a page, and one click is enough', async () => {
    using _stay = world.stays('the keys of the server')
    await schedule({ user_ids: [managerId(), adminId()] })
    const mails = await comes(MONDAY)
    const own = mails.find(({ text }) => text.includes('Unsubscribe: '))
    const link = /Unsubscribe: https:\/\/chat\.example\.com(\S+)/.exec(own?.text ?? '')?.[1] ?? ''
    const page = await fetch(world.url + link)
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      'text/html;charset=utf-8',
    ])
    expect(await page.text()).toContain('<button type="submit">Unsubscribe</button>')
    expect((await shown())[0]?.['user_ids']).toHaveLength(2)
    const click = (): Promise<Response> =>
      fetch(world.url + link, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'List-Unsubscribe=One-Click',
      })
    expect((await click()).status).toBe(200)
    expect((await shown())[0]?.['user_ids']).toHaveLength(1)
    expect((await click()).status).toBe(200)
    expect((await fetch(`${world.url}/api/analytics/unsubscribe/nonsense`)).status).toBe(404)
    expect(await comes('2026-11-30T07:01:00Z')).toHaveLength(1)
    // A copy that is made for another server would not know of it.
    const { sqlite } = world.program.http.db
    const be = (state: string) =>
      changeRows(sqlite, `update organizations set ${state} where id = ?`, [world.tenant.id])
    be("state = 'moving'")
    expect((await click()).status).toBe(503)
    be("state = 'moved', moved_to = 'https://b.example.com', deletes_at_ms = 9e12")
    const moved = await click()
    expect([moved.status, await moved.text()]).toEqual([
      409,
      expect.stringContaining('https://b.example.com'),
    ])
    be("state = 'active', moved_to = null, deletes_at_ms = null")
  })
})

test('without a mail server no report can be scheduled', async () => {
  await using other = await World.create()
  const answer = await (
    await other.as('manager')
  ).post(PATH, {
    reports: ['messages'],
    every: 'week',
    user_ids: [other.tenant.userIds.manager],
  })
  expect([answer.status, answer.body.code]).toEqual([409, 'mail_not_configured'])
})

describe('occasions', () => {
  const at = (text: string): number => Date.parse(text)

  test('follow each other without a gap, also across clock changes', () => {
    const schedule = { every: 'week', at: '02:30' } as const
    let nowMs = at('2026-01-01T00:00:00Z')
    let before = lastOccasion(schedule, 'Europe/Berlin', nowMs)
    for (let week = 0; week < 60; week += 1) {
      const next = nextOccasion(schedule, 'Europe/Berlin', nowMs)
      expect(Temporal.PlainDate.from(before.endDate).add({ days: 1 }).toString()).toBe(
        next.startDate,
      )
      expect(lastOccasion(schedule, 'Europe/Berlin', next.dueAtMs)).toEqual(next)
      expect(lastOccasion(schedule, 'Europe/Berlin', next.dueAtMs - 1)).toEqual(before)
      before = next
      nowMs = next.dueAtMs
    }
  })

  test('cover whole months', () => {
    const occasion = nextOccasion(
      { every: 'month', at: '07:00' },
      'UTC',
      at('2028-02-10T00:00:00Z'),
    )
    expect(occasion).toEqual({
      dueAtMs: at('2028-03-01T07:00:00Z'),
      startDate: '2028-02-01',
      endDate: '2028-02-29',
    })
  })
})

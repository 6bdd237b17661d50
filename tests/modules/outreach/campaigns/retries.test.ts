import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { createProgram } from '../../../../src/container'
import { rescueOrphans } from '../../../../src/infra/jobs/lease'
import { numbersOf, CampaignFixture } from '../../../support/campaigns'
import type { Answer, Loose } from '../../../support/client'
import { changeRows } from '../../../support/sql'

let fixture: CampaignFixture

beforeAll(async () => {
  fixture = await CampaignFixture.open()
  fixture.world.program.http.db.sqlite.run(
    "update accounts set throughput_level = 'HIGH', messaging_limit_tier = 'TIER_UNLIMITED'",
  )
  // What happens to messages that were taken is not at issue.
  fixture.world.simulator.followWith([], { times: Infinity })
})

afterAll(() => fixture[Symbol.asyncDispose]())

/** What the platform says of a message it cannot use, which nobody tries again unasked. */
const REFUSED = 131_009

/** So many recipients are tried again in one step of a retry, and so many make more than one. */
const STEP = 500
const MANY = 510

/** A campaign of which the messages to `failing` were refused, and that has ended. */
async function ended(people: string[], failing: string[]): Promise<string> {
  for (const recipient of failing)
    fixture.world.simulator.fail({ code: REFUSED }, { recipient, times: 1 })
  const id = await fixture.draftFor(people, { error_threshold: 1 })
  await fixture.do(id, 'start')
  expect(await fixture.run(id)).toMatchObject({
    status: 'completed',
    failed_count: failing.length,
    sent_count: people.length - failing.length,
  })
  return id
}

/** How many of many recipients are really sent to before they have failed. */
const REALLY_FAILED = 10

/**
 * A campaign that has ended, with many failed recipients. Only the first were really sent to; the
 * others get a copy of their error, which is much faster.
 */
async function endedWithMany(people: string[]): Promise<string> {
  for (const recipient of people.slice(0, REALLY_FAILED))
    fixture.world.simulator.fail({ code: REFUSED }, { recipient, times: 1 })
  const id = await fixture.draftFor(people, { error_threshold: 1 })
  markFailed(id, people.slice(REALLY_FAILED))
  await fixture.do(id, 'start')
  expect(await fixture.run(id)).toMatchObject({ status: 'completed', failed_count: people.length })
  copyErrors(id, people[0])
  return id
}

/** Has some consecutive recipients failed already. */
function markFailed(id: string, people: string[]): void {
  changeRows(
    fixture.world.program.http.db.sqlite,
    "update campaign_recipients set status = 'failed', failed_at_ms = ?2, finished_at_ms = ?2 where campaign_id = ?1 and phone_number between ?3 and ?4",
    [id, fixture.world.clock.nowMs(), people[0] ?? '', people.at(-1) ?? ''],
  )
}

/** Gives every failed recipient the error of one. */
function copyErrors(id: string, from = ''): void {
  changeRows(
    fixture.world.program.http.db.sqlite,
    "update campaign_recipients set (error, error_code) = (select error, error_code from campaign_recipients where campaign_id = ?1 and phone_number = ?2) where campaign_id = ?1 and status = 'failed'",
    [id, from],
  )
}

const failedIn = (id: string): number => statesIn(id)['failed'] ?? 0

const codeOf = async (id: string): Promise<string> =>
  (await fixture.recipients(id, '&status=failed'))[0]?.['error']?.code as string
const retry = (id: string, codes: string[]): Promise<Answer<Loose>> =>
  fixture.do(id, 'retry-failed', { codes })

/** How many messages the platform took for each. */
function takenBy(people: string[]): number[] {
  const calls = fixture.calls()
  return people.map((number) => calls.get(number) ?? 0)
}

/** How many messages were made for each, by the order of their numbers. */
const attemptsIn = (id: string): number[] =>
  fixture.world
    .rows<{ attempts: number }>(
      `select count(s.attempt) as attempts from campaign_recipients r
       left join campaign_sends s on s.organization_id = r.organization_id and s.campaign_id = r.campaign_id and s.recipient_id = r.id
       where r.campaign_id = ? group by r.id order by r.phone_number`,
      id,
    )
    .map(({ attempts }) => attempts)

/** How many recipients are in which state. */
const statesIn = (id: string): Record<string, number> =>
  Object.fromEntries(
    fixture.world
      .rows<{ status: string; n: number }>(
        'select status, count(*) as n from campaign_recipients where campaign_id = ? group by status order by status',
        id,
      )
      .map(({ status, n }) => [status, n]),
  )

/** The counters of a campaign that ended must be those of its recipients. */
async function expectTrueCounts(id: string): Promise<void> {
  const [counted] = fixture.world.rows<Loose>(
    `select sum(status = 'pending') as pending, sum(status = 'failed') as failed, count(*) as total from campaign_recipients where campaign_id = ?`,
    id,
  )
  expect(await fixture.campaign(id)).toMatchObject({
    pending_count: counted?.['pending'] as number,
    failed_count: counted?.['failed'] as number,
    total_recipients: counted?.['total'] as number,
  })
}

describe('two retries at the same time', () => {
  test('send one message each and reject the second for a completed campaign', async () => {
    const people = numbersOf(6, 15_550_930_000)
    const failing = people.slice(0, 4)
    const id = await ended(people, failing)
    const code = await codeOf(id)
    const answers = await Promise.all([retry(id, [code]), retry(id, [code])])
    const told = answers.map(
      ({ status, body }) => `${status} ${body.data?.['retry_count'] ?? body.code}`,
    )
    expect(told.toSorted((a, b) => a.localeCompare(b))).toEqual(['200 4', '409 wrong_state'])
    expect(await fixture.run(id)).toMatchObject({
      status: 'completed',
      sent_count: 6,
      failed_count: 0,
    })
    expect([takenBy(people), attemptsIn(id)]).toEqual([people.map(() => 1), [2, 2, 2, 2, 1, 1]])
    await expectTrueCounts(id)
  })

  test('retry nobody twice and leave a paused campaign paused', async () => {
    const people = numbersOf(MANY + 50, 15_550_931_000)
    const refusing = fixture.world.simulator.fail({ code: REFUSED }, { times: Infinity })
    const id = await fixture.draftFor(people, { error_threshold: 1, rate_limit: 5 })
    markFailed(id, people.slice(REALLY_FAILED, MANY))
    await fixture.do(id, 'start')
    for (let step = 0; step < 60 && failedIn(id) < MANY; step += 1) {
      await fixture.world.settle()
      fixture.world.clock.advance({ ms: 500 })
    }
    copyErrors(id, people[0])
    await fixture.do(id, 'pause')
    await fixture.world.settle()
    refusing.clear()
    const before = await fixture.campaign(id)
    const failed = Number(before['failed_count'])
    expect(before).toMatchObject({ status: 'paused' })
    expect(failed).toBeGreaterThan(STEP)
    const code = await codeOf(id)
    const answers = await Promise.all([retry(id, [code]), retry(id, [code])])
    const counts = answers.map(({ body }) => Number(body.data?.['retry_count'] ?? 0))
    expect((counts[0] ?? 0) + (counts[1] ?? 0)).toBe(failed)
    await fixture.world.settle()
    expect(await fixture.campaign(id)).toMatchObject({
      status: 'paused',
      failed_count: 0,
      pending_count: people.length,
    })
    await expectTrueCounts(id)
    // A waiting recipient has no error any more.
    expect(
      (await (await fixture.manager).get(`/api/campaigns/${id}/progress`)).data['errors'],
    ).toEqual([])
    expect(await fixture.recipients(id, `&error_code=${code}`)).toEqual([])
    await fixture.world.settle()
    expect(takenBy(people)).toEqual(people.map(() => 0))
    await fixture.do(id, 'cancel')
  }, 60_000)
})

test('rejects a retry of a sending or canceled campaign', async () => {
  const people = numbersOf(30, 15_550_933_000)
  for (const recipient of people.slice(0, 2))
    fixture.world.simulator.fail({ code: REFUSED }, { recipient, times: 1 })
  const id = await fixture.draftFor(people, { error_threshold: 1, rate_limit: 5 })
  await fixture.do(id, 'start')
  await fixture.world.settle()
  fixture.world.clock.advance({ seconds: 1 })
  await fixture.world.settle()
  expect(await fixture.campaign(id)).toMatchObject({ status: 'sending', failed_count: 2 })
  expect((await retry(id, ['x'])).body).toMatchObject({ code: 'wrong_state' })
  await fixture.do(id, 'cancel')
  expect((await retry(id, ['x'])).body).toMatchObject({ code: 'wrong_state' })
  expect([takenBy(people.slice(0, 2)), attemptsIn(id).slice(0, 2)]).toEqual([
    [0, 0],
    [1, 1],
  ])
})

test('rejects a retry of a completed campaign whose template is paused, not of a paused campaign', async () => {
  const { world } = fixture
  const people = numbersOf(2, 15_550_933_500)
  const id = await ended(people, people.slice(0, 1))
  const codes = [await codeOf(id)]
  const waiting = numbersOf(2, 15_550_933_600)
  world.simulator.fail({ code: REFUSED }, { recipient: waiting[0] ?? '', times: 1 })
  const paused = await fixture.draftFor(waiting, { error_threshold: 1, rate_limit: 1 })
  await fixture.do(paused, 'start')
  await world.settle()
  await fixture.do(paused, 'pause')
  const { data: template } = await (
    await fixture.manager
  ).get(`/api/templates/${fixture.templateId}`)
  await world.simulator.review(String(template['platform_id']), { event: 'PAUSED' })
  await world.settle()
  expect(await retry(id, codes)).toMatchObject({
    status: 400,
    body: { code: 'template_not_approved' },
  })
  expect(await fixture.campaign(id)).toMatchObject({ status: 'completed', failed_count: 1 })
  expect((await retry(paused, codes)).data).toEqual({ retry_count: 1, status: 'paused' })
  world.clock.advance({ seconds: 5 })
  await world.simulator.review(String(template['platform_id']), {
    event: 'APPROVED',
    title: 'UNPAUSE',
  })
  await world.settle()
  expect((await retry(id, codes)).data).toEqual({ retry_count: 1, status: 'sending' })
  expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 2 })
  await fixture.do(paused, 'cancel')
})

test('completes a large retry while its first messages are sent and fail again', async () => {
  const people = numbersOf(MANY, 15_550_934_000)
  const id = await endedWithMany(people)
  const code = await codeOf(id)
  // The first recipients fail again; the same retry includes nobody twice.
  for (const recipient of people.slice(0, 20))
    fixture.world.simulator.fail({ code: REFUSED }, { recipient, times: 1 })
  const [answer] = await Promise.all([
    retry(id, [code]),
    (async () => {
      for (let step = 0; step < 20; step += 1) {
        await fixture.world.settle()
        fixture.world.clock.advance({ ms: 250 })
      }
    })(),
  ])
  expect(answer).toMatchObject({ status: 200, data: { retry_count: MANY } })
  expect(await fixture.run(id)).toMatchObject({
    status: 'completed',
    sent_count: MANY - 20,
    failed_count: 20,
  })
  expect([takenBy(people), attemptsIn(id)]).toEqual([
    people.map((_, nth) => (nth < 20 ? 0 : 1)),
    people.map((_, nth) => (nth < REALLY_FAILED ? 2 : 1)),
  ])
  await expectTrueCounts(id)
  expect((await retry(id, [code])).data).toMatchObject({ retry_count: 20 })
  expect(await fixture.run(id)).toMatchObject({
    status: 'completed',
    sent_count: MANY,
    failed_count: 0,
  })
}, 60_000)

test('continues a retry after the process is killed', async () => {
  const people = numbersOf(MANY, 15_550_936_000)
  const id = await endedWithMany(people)
  const code = await codeOf(id)
  const answers = [await retry(id, [code]), await retry(id, [code])]
  // While the first of them are sent, the campaign is not asked twice.
  expect(
    answers.map(({ status, body }) => body.data?.['retry_count'] ?? `${status} ${body.code}`),
  ).toEqual([MANY, '409 wrong_state'])
  expect(statesIn(id)).toEqual({ failed: MANY - STEP, pending: STEP })
  // A kill while the job runs leaves it leased, and nothing of the step it was in.
  const { program, config, secrets } = fixture.world
  changeRows(
    program.http.db.sqlite,
    "update jobs set state = 'executing', attempt = 1, attempted_at_ms = ?1, first_attempted_at_ms = ?1, lease_until_ms = ?1 + 60000 where kind = 'campaign.retry'",
    [fixture.world.clock.nowMs()],
  )
  const next = createProgram(config, secrets, program.http, null)
  expect(rescueOrphans(next.http, 'all')).toBe(1)
  await next.worker.runUntilIdle(() => next.relay.drain())
  expect(statesIn(id)['failed']).toBeUndefined()
  expect(await fixture.run(id)).toMatchObject({
    status: 'completed',
    sent_count: MANY,
    failed_count: 0,
  })
  expect([takenBy(people), attemptsIn(id)]).toEqual([
    people.map(() => 1),
    people.map((_, nth) => (nth < REALLY_FAILED ? 2 : 1)),
  ])
  await expectTrueCounts(id)
}, 60_000)

test('counts only recipients that no other retry has selected', async () => {
  const people = numbersOf(MANY, 15_550_938_000)
  const id = await endedWithMany(people)
  const code = await codeOf(id)
  const { sqlite } = fixture.world.program.http.db
  // One of them failed for another reason, and the campaign is paused.
  changeRows(
    sqlite,
    "update campaign_recipients set error_code = 'other' where rowid = (select max(rowid) from campaign_recipients where campaign_id = ?)",
    [id],
  )
  changeRows(
    sqlite,
    "update campaigns set status = 'paused', pause_reason = 'user', completed_at_ms = null where id = ?",
    [id],
  )
  expect((await retry(id, [code])).data).toEqual({ retry_count: MANY - 1, status: 'paused' })
  expect((await retry(id, [code])).body).toMatchObject({ code: 'nothing_to_retry' })
  expect((await retry(id, [code, 'other'])).data).toEqual({ retry_count: 1, status: 'paused' })
  await fixture.world.settle()
  expect(statesIn(id)).toEqual({ pending: MANY })
  expect(await fixture.campaign(id)).toMatchObject({ status: 'paused', pending_count: MANY })
  await fixture.do(id, 'cancel')
}, 60_000)

test('does not complete a campaign before its retry is complete', async () => {
  const people = numbersOf(MANY, 15_550_939_000)
  const id = await endedWithMany(people)
  expect((await retry(id, [await codeOf(id)])).data).toMatchObject({ retry_count: MANY })
  const { sqlite } = fixture.world.program.http.db
  const nowMs = fixture.world.clock.nowMs()
  // Another process has it.
  changeRows(
    sqlite,
    "update jobs set state = 'executing', attempt = 1, attempted_at_ms = ?1, first_attempted_at_ms = ?1, lease_until_ms = ?1 + 3600000 where kind = 'campaign.retry'",
    [nowMs],
  )
  for (let step = 0; step < 40; step += 1) {
    await fixture.world.settle()
    fixture.world.clock.advance({ ms: 500 })
  }
  expect(await fixture.campaign(id)).toMatchObject({
    status: 'sending',
    pending_count: 0,
    failed_count: MANY - STEP,
  })
  sqlite.run(
    "update jobs set state = 'available', lease_until_ms = null where kind = 'campaign.retry'",
  )
  expect(await fixture.run(id)).toMatchObject({
    status: 'completed',
    sent_count: MANY,
    failed_count: 0,
  })
}, 60_000)

test('retries unknown outcomes only on request, as new messages', async () => {
  const people = numbersOf(3, 15_550_937_000)
  const [failing = '', lost = ''] = people
  fixture.world.simulator.fail({ code: REFUSED }, { recipient: failing, times: 2 })
  fixture.world.simulator.answerHtml(502, { recipient: lost })
  const id = await fixture.draftFor(people, { error_threshold: 1 })
  await fixture.do(id, 'start')
  await fixture.world.settle()
  fixture.world.clock.advance({ minutes: 11 })
  expect(await fixture.run(id)).toMatchObject({
    status: 'completed',
    failed_count: 1,
    unknown_count: 1,
    sent_count: 1,
  })
  const ofLost = async (): Promise<Loose | undefined> =>
    (await fixture.recipients(id)).find(({ phone_number: number }) => number === lost)
  const before = await ofLost()
  // Named codes, and none: neither is about those whose message may have arrived.
  expect((await retry(id, [await codeOf(id)])).data).toMatchObject({ retry_count: 1 })
  expect(await fixture.run(id)).toMatchObject({
    status: 'completed',
    failed_count: 1,
    unknown_count: 1,
    sent_count: 1,
  })
  expect(await ofLost()).toEqual(before)
  expect(before).toMatchObject({ status: 'unknown', attempt: 1 })
  expect([attemptsIn(id), takenBy(people)]).toEqual([
    [2, 1, 1],
    [0, 0, 1],
  ])
  // Asked for, they go with the others, and nothing of the former attempt is left on them.
  const asked = await fixture.do(id, 'retry-failed', {
    codes: [await codeOf(id)],
    include_unknown: true,
  })
  expect(asked.data).toMatchObject({ retry_count: 2, status: 'sending' })
  expect(await ofLost()).toMatchObject({
    status: 'pending',
    error: null,
    failed_at: null,
    cost: null,
  })
  expect(await fixture.run(id)).toMatchObject({
    status: 'completed',
    failed_count: 0,
    unknown_count: 0,
    sent_count: 3,
  })
  expect(await ofLost()).toMatchObject({ status: 'sent', attempt: 2, error: null })
  expect([attemptsIn(id), takenBy(people)]).toEqual([
    [3, 2, 1],
    [1, 1, 1],
  ])
  await expectTrueCounts(id)
})

import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createProgram } from '../../../../src/container'
import { startMailbox, type Mailbox } from '../../../support/mailbox'
import { ServerProcess } from '../../../support/process'
import { World, type WorldOptions } from '../../../support/world'

const PATH = '/api/analytics/scheduled-reports'

/** The worlds begin on Saturday, 21 November 2026. */
const MONDAY_MS = Date.parse('2026-11-23T07:00:30Z')

/** A world in which two people get a weekly report, and the ID of the report. */
async function scheduledWorld(
  mailbox: Mailbox,
  options: WorldOptions = {},
): Promise<{ world: World; reportId: string }> {
  const world = await World.create({
    env: { SMTP_URL: mailbox.url, MAIL_FROM: 'desk@example.com' },
    ...options,
  })
  const { manager, admin } = world.tenant.userIds
  const client = await world.as('manager')
  const body = { reports: ['messages'], every: 'week', user_ids: [manager, admin] }
  const { status, data } = await client.post(PATH, body)
  expect(status).toBe(201)
  return { world, reportId: String(data['id']) }
}

/** Message IDs of the received emails by recipient. */
const idsOf = (mailbox: Mailbox): Record<string, (string | undefined)[]> =>
  Object.fromEntries(
    [...Map.groupBy(mailbox.mails, ({ to }) => String(to))].map(([to, mails]) => [
      to,
      mails.map(({ text }) => /^Message-ID: (<\S+>)/im.exec(text)?.[1] ?? `none in ${text}`),
    ]),
  )

test('a report is sent once by two processes that look at the same time', async () => {
  const mailbox = await startMailbox()
  const { world } = await scheduledWorld(mailbox)
  try {
    const { http } = world.program
    const other = createProgram(world.config, world.secrets, { ...http, random: () => 0.5 }, null)
    world.clock.advance({ ms: MONDAY_MS - world.clock.nowMs() })
    for (let round = 0; round < 2; round += 1) {
      // Each start looks at the schedules again.
      world.rows("update job_schedules set slot_ms = 0 where name = 'analytics.start-reports'")
      await Promise.all([world.settle(), other.worker.runUntilIdle(() => other.relay.drain())])
    }
    const ids = Object.values(idsOf(mailbox))
    expect(ids.map((each) => each.length)).toEqual([1, 1])
    expect(new Set(ids.flat()).size).toBe(2)
    expect(world.rows('select state from scheduled_report_runs')).toEqual([{ state: 'sent' }])
  } finally {
    await world.stop()
    await mailbox.stop()
  }
})

test('an email whose sending a killed server could not record is repeated as the same email', async () => {
  const mailbox = await startMailbox()
  const folder = mkdtempSync(join(tmpdir(), 'killed-report-'))
  // The servers have the machine's clock. The report is asked for, because a scheduled one is sent
  // on some days of the week only.
  const { world, reportId } = await scheduledWorld(mailbox, { startMs: Date.now() })
  try {
    const manager = await world.as('manager')
    expect((await manager.post(`${PATH}/${reportId}/send`)).status).toBe(202)
    const data = join(folder, 'data')
    mkdirSync(data, { mode: 0o700 })
    writeFileSync(join(data, 'switchboard.sqlite'), world.program.http.db.sqlite.serialize(), {
      mode: 0o600,
    })
    const env = {
      DATA_DIR: data,
      SECRET_KEY: world.secrets.roots.current.toString('hex'),
      SMTP_URL: mailbox.url,
      MAIL_FROM: 'desk@example.com',
      PLATFORM_BASE_URL: world.simulator.url,
      BACKUP_INTERVAL_HOURS: '0',
    }
    const start = () => ServerProcess.start({ cwd: folder, env })
    const killed = Promise.withResolvers<void>()
    await using first = ServerProcess.spawn({ cwd: folder, env })
    // The email has arrived; the server does not learn that.
    mailbox.beforeAnswer = async () => {
      mailbox.beforeAnswer = null
      await first.kill()
      killed.resolve()
    }
    await killed.promise
    expect(mailbox.mails).toHaveLength(1)
    await using second = await start()
    await world.eventually(() => mailbox.mails.length === 3)
    const ids = Object.values(idsOf(mailbox)).toSorted((a, b) => a.length - b.length)
    expect(ids.map((each) => [each.length, new Set(each).size])).toEqual([
      [1, 1],
      [2, 1],
    ])
    await second.stop()
    await using third = await start()
    await third.stop()
    expect(mailbox.mails).toHaveLength(3)
  } finally {
    await world.stop()
    await mailbox.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}, 120_000)

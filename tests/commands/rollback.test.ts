import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { CampaignFixture } from '../support/campaigns'
import { Client, type Loose } from '../support/client'
import { runProgram, type CommandResult } from '../support/command'
import { runHere } from '../support/command-here'
import { upload } from '../support/files'
import { PROGRAM, ServerProcess } from '../support/process'
import { changeRows } from '../support/sql'
import { killableVersion, NEXT_TAG, nextVersion, numberedVersion } from '../support/versions'
import { APP_SECRET, PASSWORD, ROOT_KEY } from '../support/world'

const PEOPLE = 6
/** How many steps of a command are killed. */
const KILLS = Number(process.env['ROLLBACK_KILLS'] ?? 2)

let folder: string
let fixture: CampaignFixture
let campaign: string
let next: string[]
let same: string[]
/** A data folder that the next version has migrated and served. */
let upgraded: string
let copies = 0

const envOf = (dataDir: string): Record<string, string> => ({
  DATA_DIR: dataDir,
  SECRET_KEY: ROOT_KEY.toString('hex'),
  APP_SECRET,
  PLATFORM_BASE_URL: fixture.world.simulator.url,
  PASSWORD_MEMORY_MIB: '8',
  BACKUP_INTERVAL_HOURS: '0',
  RATE_STANDARD: '0',
})

const databaseIn = (dataDir: string): string => join(dataDir, 'switchboard.sqlite')
const copyIn = (dataDir: string): string =>
  join(dataDir, 'backups', readdirSync(join(dataDir, 'backups'))[0] ?? '')

/** Returns a data folder after the upgrade, for one test. */
function another(change: (dataDir: string) => void = () => undefined): string {
  const dataDir = join(folder, `data-${(copies += 1)}`)
  cpSync(upgraded, dataDir, { recursive: true })
  change(dataDir)
  return dataDir
}

const run = (
  command: string[],
  dataDir: string,
  args: string[],
  more: Record<string, string> = {},
): Promise<CommandResult> =>
  runProgram(command, args, { cwd: folder, env: { ...envOf(dataDir), ...more } })

const here = (dataDir: string, args: string[]): Promise<CommandResult> =>
  runHere(args, { cwd: folder, env: envOf(dataDir) })

async function managerOf(server: ServerProcess): Promise<Client> {
  const { data: session } = await new Client(server.url).post('/api/auth/login', {
    email: fixture.world.emailOf('manager', fixture.world.tenant),
    password: PASSWORD,
  })
  return new Client(server.url, { authorization: `Bearer ${session['access_token']}` })
}

/** Which version a database is of, whether it is settled, and how many of its contacts came late. */
function stateOf(path: string): { isNext: boolean; isUnsettled: boolean; late: number } {
  const database = new Database(path, { readonly: true, strict: true })
  const number = (query: string): number =>
    Object.values(database.query<Record<string, number>, []>(query).get() ?? {})[0] ?? 0
  try {
    return {
      isNext: number(`select count(*) from schema_migrations where tag = '${NEXT_TAG}'`) === 1,
      isUnsettled: number('pragma user_version') === 1,
      late: number("select count(*) from contacts where name = 'Late'"),
    }
  } finally {
    database.close()
  }
}

const FORMER = { isNext: false, isUnsettled: true, late: 0 }
const PRESENT = { isNext: true, isUnsettled: false, late: 1 }

const mediaIn = (path: string): string[] =>
  (readdirSync(path, { recursive: true }) as string[]).filter((name) => name.includes('/'))

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollback-'))
  next = nextVersion(join(folder, 'next'))
  same = killableVersion(join(folder, 'same'))
  fixture = await CampaignFixture.open({ startMs: Date.now() })
  const { world } = fixture
  await upload(await world.as('admin'), {
    bytes: new TextEncoder().encode('the price list'),
    type: 'text/plain',
  })
  campaign = await fixture.draftFor(PEOPLE, { rate_limit: 2 })
  await fixture.do(campaign, 'start')
  await world.settle()
  upgraded = join(folder, 'upgraded')
  mkdirSync(upgraded, { mode: 0o700 })
  cpSync(world.filesFolder, join(upgraded, 'media'), { recursive: true })
  writeFileSync(databaseIn(upgraded), world.program.http.db.sqlite.serialize())
  const migrated = (await run(next, upgraded, ['migrate'])).out.split('\n')
  expect(migrated.slice(1)).toEqual([
    expect.stringMatching(
      /^Copying the database of \d+ MiB to .+ and migrating it\. This takes about 1 s\.$/,
    ),
    expect.stringMatching(/^Applied in \d+ s: 0001_next$/),
    '',
  ])
  await using server = await ServerProcess.start({
    command: next,
    cwd: folder,
    env: envOf(upgraded),
  })
  const manager = await managerOf(server)
  const contact = await manager.post('/api/contacts', {
    phone_number: '15550998877',
    name: 'Late',
  })
  expect(contact.status).toBe(201)
  world.simulator.setCallback(`${server.url}/api/webhook`, APP_SECRET)
  await world.simulator.customer({ name: 'Ana' }).says('Is anybody there?')
  const seen = async (): Promise<Loose | undefined> => {
    const { data } = await manager.get(`/api/campaigns/${campaign}`)
    const { data: found } = await manager.get('/api/contacts?search=Ana')
    return data['status'] === 'completed' ? (found['items'] as Loose[])[0] : undefined
  }
  let ana: Loose | undefined
  for (let round = 0; ana === undefined && round < 500; round += 1) {
    ana = await seen()
    await Bun.sleep(20)
  }
  const answer = { type: 'text', text: 'Yes, we are here.' }
  expect((await manager.post(`/api/contacts/${ana?.['id']}/messages`, answer)).status).toBe(201)
  expect(await server.stop()).toBe(0)
  expect(mediaIn(join(upgraded, 'media'))).toHaveLength(1)
}, 60_000)

afterAll(async () => {
  await fixture[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

test('shows what came in since the upgrade, and changes nothing without --yes', async () => {
  const dataDir = another()
  const before = readFileSync(databaseIn(dataDir))
  const asked = await run(next, dataDir, ['rollback'])
  expect({ code: asked.code, out: asked.out.split('\n') }).toEqual({
    code: 2,
    out: [
      `Data folder: ${dataDir}`,
      expect.stringMatching(/^The copy is the database of .+Z, from before 0001_next\.$/),
      'What came in since is not in it:',
      '  1 message received',
      '  1 message written',
      '  2 new contacts',
      expect.stringMatching(/^  \d+ webhooks received$/),
      '  1 change made by people',
      '',
    ],
  })
  expect(asked.errors).toBe(
    'Nothing was changed. If the former version starts with the database of today, only replace ' +
      'the executable. Otherwise pass --yes to go back without what came in since.\n',
  )
  const asJson = await run(next, dataDir, ['rollback', '--json'])
  expect([asJson.code, JSON.parse(asJson.out)]).toEqual([
    2,
    {
      copy: copyIn(dataDir),
      made_at: expect.stringMatching(/Z$/),
      undone: [NEXT_TAG],
      since: {
        ...{ messages_received: 1, messages_written: 1, contacts: 2, changes: 1 },
        ...{ consents: 0, reactions: 0, calls: 0, webhooks_received: expect.any(Number) },
      },
      needs_former_version: true,
      files_missing: 0,
      former: null,
    },
  ])
  expect(readFileSync(databaseIn(dataDir)).equals(before)).toBe(true)
  expect(existsSync(join(dataDir, 'restoring'))).toBe(false)
})

test('goes back with the new version; the former one starts, and sends nothing again by itself', async () => {
  const dataDir = another()
  const sent = [...fixture.calls().values()]
  // The answer to Ana may have been sent, too, before the server stopped.
  expect(sent.length).toBeGreaterThanOrEqual(PEOPLE)
  expect(new Set(sent)).toEqual(new Set([1]))
  const done = await run(next, dataDir, ['rollback', '--yes'])
  expect([done.code, done.errors]).toEqual([0, ''])
  const lines = done.out.split('\n')
  expect(lines[1]).toMatch(/^Went back to the database of .+Z, from before 0001_next\.$/)
  expect(done.out).toContain('Now put the former version of Switchboard in place of this one')
  const kept = /Previous data kept at: (\S+), (\S+)\./.exec(done.out)
  expect(stateOf(databaseIn(dataDir))).toEqual(FORMER)
  expect(stateOf(join(dataDir, kept?.[1] ?? ''))).toEqual(PRESENT)
  expect(mediaIn(join(dataDir, 'media'))).toEqual(mediaIn(join(upgraded, 'media')))
  expect(mediaIn(join(dataDir, kept?.[2] ?? ''))).toEqual(mediaIn(join(upgraded, 'media')))

  await using server = await ServerProcess.start({ cwd: folder, env: envOf(dataDir) })
  expect(server.complaints().map((line) => (JSON.parse(line) as Loose)['msg'])).toContain(
    'first start after a rollback',
  )
  const shown = await server.until('what it shows', () =>
    server.lines.find((line) => line.includes('campaign was paused')),
  )
  expect(shown).toContain('1 campaign was paused because messages may have been sent since then.')
  const manager = await managerOf(server)
  const { data: paused } = await manager.get(`/api/campaigns/${campaign}`)
  expect(paused).toMatchObject({ status: 'paused', pause_reason: 'restored', sending_count: 0 })
  expect(paused['unknown_count']).toBeGreaterThan(0)
  expect((await manager.get('/api/contacts?search=15550998877')).data).toMatchObject({ total: 0 })
  expect([...fixture.calls().values()]).toEqual(sent)
  expect(await server.stop()).toBe(0)
  expect(stateOf(databaseIn(dataDir))).toEqual({ ...FORMER, isUnsettled: false })
  const again = await here(dataDir, ['rollback', '--yes'])
  expect([again.code, again.errors]).toEqual([
    1,
    expect.stringContaining('as it was before the migration 0001_next: there is nothing to go'),
  ])
})

test('goes back with the former version, which cannot read the database of today', async () => {
  const dataDir = another()
  const { errors } = await run(PROGRAM, dataDir, ['serve'])
  expect(errors).toContain('newer than this version')
  expect(errors).toContain('"switchboard rollback" goes back')
  const done = await run(PROGRAM, dataDir, ['rollback', '--yes'])
  expect([done.code, done.errors]).toEqual([0, ''])
  expect(done.out).toContain('Now start the server.')
  expect(stateOf(databaseIn(dataDir))).toEqual(FORMER)
})

test('needs no --yes if nothing came in since', async () => {
  const dataDir = another((path) => {
    copyFileSync(copyIn(path), databaseIn(path))
    rmSync(join(path, 'backups'), { recursive: true })
  })
  expect((await run(next, dataDir, ['migrate'])).code).toBe(0)
  const done = await run(next, dataDir, ['rollback'])
  expect([done.code, done.out.split('\n')[2]]).toEqual([0, 'Nothing came in since.'])
})

describe('asks if the only thing that came in since is', () => {
  let migrated: string

  beforeAll(async () => {
    migrated = another((path) => {
      copyFileSync(copyIn(path), databaseIn(path))
      const database = new Database(databaseIn(path), { strict: true })
      database.run(REACTION, ['👍', 1])
      database.close()
      rmSync(join(path, 'backups'), { recursive: true })
    })
    expect((await run(next, migrated, ['migrate'])).code).toBe(0)
  })

  const REACTION = `insert into message_reactions (organization_id, account_id, target_wa_message_id, reactor,
    contact_id, emoji, timestamp_ms, received_at_ms)
    select c.organization_id, a.id, 'wamid.liked', 'contact', c.id, ?, ?, 0
    from contacts c join accounts a on a.organization_id = c.organization_id limit 1`
  const EVENT = `insert into inbound_events (id, body_id, entry_index, change_index, received_at_ms, state)
    values (x'02', 1, 0, 0, 0, ?)`

  test.each([
    [
      'a webhook that is not even in the journal',
      "insert into inbound_staging (id, received_at_ms, signed_by, body) values (1, 0, 'app', x'7b7d')",
      [],
      '1 webhook received',
    ],
    ['a webhook that waits', EVENT, ['pending'], '1 webhook received'],
    ['a webhook that was processed', EVENT, ['done'], '1 webhook received'],
    [
      'an opt-out',
      `insert into contact_consents (organization_id, id, contact_id, purpose, state, source, at_ms, created_at_ms)
       select organization_id, x'03', id, 'marketing', 'opted_out', 'platform', 0, 0 from contacts limit 1`,
      [],
      '1 consent given or withdrawn',
    ],
    [
      'a reaction that replaces another one',
      "update message_reactions set emoji = ?, timestamp_ms = ? where target_wa_message_id = 'wamid.liked'",
      ['🎉', 2],
      '1 reaction',
    ],
    [
      'a reaction that was taken back',
      "update message_reactions set emoji = ?, timestamp_ms = ? where target_wa_message_id = 'wamid.liked'",
      [null, 2],
      '1 reaction',
    ],
    [
      'a call',
      `insert into calls (organization_id, id, contact_id, account_id, wa_call_id, direction, state, timestamp_ms,
       created_at_ms, updated_at_ms)
       select organization_id, x'04', id, x'01', 'call-1', 'incoming', 'missed', 0, 0, 0 from contacts limit 1`,
      [],
      '1 call',
    ],
  ])('%s', async (_, statement, values, words) => {
    const dataDir = join(folder, `data-${(copies += 1)}`)
    cpSync(migrated, dataDir, { recursive: true })
    const database = new Database(databaseIn(dataDir), { strict: true })
    expect(database.run(statement, values).changes).toBeGreaterThan(0)
    database.close()
    const asked = await here(dataDir, ['rollback'])
    expect([asked.code, asked.out.split('\n').slice(2)]).toEqual([
      2,
      ['What came in since is not in it:', `  ${words}`, ''],
    ])
    expect(stateOf(databaseIn(dataDir)).isNext).toBe(true)
  })
})

test('goes back if the present database cannot be read, but only with --yes', async () => {
  const dataDir = another((path) => writeFileSync(databaseIn(path), 'no database'))
  const asked = await here(dataDir, ['rollback'])
  expect([asked.code, asked.out]).toEqual([2, expect.stringContaining('cannot be counted')])
  const done = await here(dataDir, ['rollback', '--yes'])
  expect([done.code, done.errors]).toEqual([0, ''])
  expect(stateOf(databaseIn(dataDir))).toEqual(FORMER)
})

describe('after an upgrade that changed nothing in the database', () => {
  let first: string[]
  let second: string[]
  let third: string[]

  beforeAll(() => {
    first = numberedVersion(join(folder, 'first'), '7.0.1')
    second = nextVersion(join(folder, 'second'), '7.0.2')
    third = nextVersion(join(folder, 'third'), '7.0.3')
  })

  /** A data folder of the first version, in which these versions have served one after the other. */
  async function servedBy(...versions: string[][]): Promise<string> {
    const dataDir = another((path) => {
      copyFileSync(copyIn(path), databaseIn(path))
      for (const name of ['backups', 'versions'])
        rmSync(join(path, name), { recursive: true, force: true })
    })
    for (const command of versions) await serveOnce(command, dataDir)
    return dataDir
  }

  async function serveOnce(command: string[], dataDir: string): Promise<void> {
    await using server = await ServerProcess.start({ command, cwd: folder, env: envOf(dataDir) })
    expect(await server.stop()).toBe(0)
  }

  const refusalOf = async (command: string[], dataDir: string): Promise<string> => {
    const before = readFileSync(databaseIn(dataDir))
    const { code, errors } = await run(command, dataDir, ['rollback', '--yes'])
    expect(code).toBe(1)
    expect(readFileSync(databaseIn(dataDir)).equals(before)).toBe(true)
    return errors
  }

  test('says that only the executable has to be replaced; then the upgrade before it can be undone', async () => {
    const dataDir = await servedBy(first, second, third)
    const replace =
      'Version 7.0.2 works with this database as it is. Only put it in place of the executable, and ' +
      'start it: nothing is lost. To go back further, run "switchboard rollback" again after that.\n'
    expect(await refusalOf(third, dataDir)).toBe(replace)
    expect(await refusalOf(second, dataDir)).toBe(
      replace.replace('put it in place of the executable, and start it', 'start it'),
    )
    await serveOnce(second, dataDir)
    const done = await run(second, dataDir, ['rollback', '--yes'])
    expect([done.code, done.errors]).toEqual([0, ''])
    expect(stateOf(databaseIn(dataDir)).isNext).toBe(false)
    expect(await refusalOf(second, dataDir)).toContain('Version 7.0.1 works with this database')
    await serveOnce(first, dataDir)
    expect(await refusalOf(first, dataDir)).toContain('nothing to go back from')
  }, 120_000)

  test('says it of a version that has never started, and of none that cannot open the database', async () => {
    const dataDir = await servedBy(second)
    expect(await refusalOf(third, dataDir)).toContain('Version 7.0.2 works with this database')
    const done = await run(first, dataDir, ['rollback', '--yes'])
    expect([done.code, done.errors]).toEqual([0, ''])
    expect(stateOf(databaseIn(dataDir)).isNext).toBe(false)
  }, 120_000)

  test('does not say it of a version that refuses the permissions of today', async () => {
    const dataDir = await servedBy(second)
    const database = new Database(databaseIn(dataDir), { strict: true })
    database.run('insert into permission_seeds (number, applied_at_ms) values (999999, 0)')
    database.close()
    const done = await run(third, dataDir, ['rollback', '--yes'])
    expect([done.code, done.errors]).toEqual([0, ''])
  }, 60_000)

  test('starts and goes back with a list of versions that is damaged or cannot be written', async () => {
    const dataDir = await servedBy(first, second)
    writeFileSync(join(dataDir, 'versions'), '[{"version":')
    await serveOnce(second, dataDir)
    expect(JSON.parse(readFileSync(join(dataDir, 'versions'), 'utf8'))).toEqual([
      { version: '7.0.2', migration: NEXT_TAG, permissions: expect.any(Number) },
    ])
    rmSync(join(dataDir, 'versions'))
    mkdirSync(join(dataDir, 'versions', 'in-the-way'), { recursive: true })
    await serveOnce(second, dataDir)
    expect((await run(second, dataDir, ['rollback', '--yes'])).code).toBe(0)
  }, 120_000)
})

describe('refuses', () => {
  const refusal = async (dataDir: string): Promise<string> => {
    const before = existsSync(databaseIn(dataDir)) ? readFileSync(databaseIn(dataDir)) : null
    const { code, errors } = await here(dataDir, ['rollback', '--yes'])
    expect(code).toBe(1)
    expect(existsSync(join(dataDir, 'restoring'))).toBe(false)
    if (before) expect(readFileSync(databaseIn(dataDir)).equals(before)).toBe(true)
    return errors.trim()
  }

  test('without an installation, and without a copy', async () => {
    expect(
      (await runHere(['rollback'], { cwd: mkdtempSync(join(folder, 'none-')) })).errors,
    ).toContain('No installation in')
    const dataDir = another((path) => rmSync(join(path, 'backups'), { recursive: true }))
    expect(await refusal(dataDir)).toBe(
      `There is no copy from before a migration in ${join(dataDir, 'backups')}. The newest one is kept ` +
        'for a week at least, and then deleted like an automatic backup. If the former version starts ' +
        'with this database, only replace the executable. Otherwise put it in place, and restore one ' +
        'of its backups with "switchboard restore".',
    )
  })

  test('a copy that is damaged or was changed', async () => {
    const cutOff = another((path) => truncateSync(copyIn(path), 100_000))
    expect(await refusal(cutOff)).toMatch(/^The copy before-0001_next-\d+\.sqlite cannot be used\./)
    const changed = another((path) => {
      const copy = new Database(copyIn(path))
      changeRows(copy, 'create table extra (id integer)')
      copy.close()
    })
    expect(await refusal(changed)).toContain('the table extra does not belong to it')
    const dangling = another((path) => {
      const copy = new Database(copyIn(path))
      changeRows(copy, 'pragma foreign_keys = off')
      changeRows(copy, 'delete from organizations')
      copy.close()
    })
    expect(await refusal(dangling)).toContain('refer to missing rows of organizations')
  })

  test('without the key of the copy', async () => {
    const dataDir = another()
    const { code, errors } = await runHere(['rollback', '--yes'], {
      cwd: folder,
      env: { ...envOf(dataDir), SECRET_KEY: Buffer.alloc(32, 9).toString('hex') },
    })
    expect([code, errors]).toEqual([1, expect.stringContaining('is not the key')])
    expect(stateOf(databaseIn(dataDir))).toEqual(PRESENT)
  })

  test('without enough space', async () => {
    const { bavail, bsize } = statfsSync(folder)
    // A sparse file.
    const dataDir = another((path) => truncateSync(copyIn(path), bavail * bsize))
    expect(await refusal(dataDir)).toMatch(
      /^There is not enough space in .+: \d+ MiB are needed, \d+ MiB are free\. Nothing was changed\.$/,
    )
  })

  test('while a server runs', async () => {
    const dataDir = another()
    await using server = await ServerProcess.start({
      command: next,
      cwd: folder,
      env: envOf(dataDir),
    })
    expect(server.isRunning).toBe(true)
    const { code, errors } = await here(dataDir, ['rollback', '--yes'])
    expect([code, errors]).toEqual([1, expect.stringContaining('Another Switchboard process')])
  })
})

describe('killed', () => {
  /** Counts the steps of an undisturbed run, and runs `attempt` once for each that is killed. */
  async function killedAtSteps(
    undisturbed: (more: Record<string, string>) => Promise<unknown>,
    attempt: (at: number) => Promise<unknown>,
  ): Promise<void> {
    const file = join(folder, 'steps')
    await undisturbed({ KILL_COUNT: file })
    const steps = Number(readFileSync(file, 'utf8'))
    expect(steps).toBeGreaterThan(10)
    const kills = Math.min(steps, KILLS)
    for (let kill = 0; kill < kills; kill += 1)
      await attempt(steps - Math.floor((kill * steps) / kills))
  }

  test('before any step, a repeated rollback ends as an undisturbed one', async () => {
    const seen = new Set<string>()
    const undisturbed = (more: Record<string, string>): Promise<unknown> =>
      run(next, another(), ['rollback', '--yes'], more)
    await killedAtSteps(undisturbed, async (at) => {
      const dataDir = another()
      const killed = await run(next, dataDir, ['rollback', '--yes'], { KILL_AT: String(at) })
      expect({ at, out: killed.out.split('\n').slice(1) }).toEqual({ at, out: [''] })
      if (existsSync(databaseIn(dataDir))) {
        const state = stateOf(databaseIn(dataDir))
        seen.add(state.isNext ? 'present' : 'former')
        expect(state).toEqual(state.isNext ? PRESENT : FORMER)
      } else {
        seen.add('none')
        const refused = await here(dataDir, ['serve'])
        expect([refused.code, refused.errors]).toEqual([
          1,
          expect.stringContaining('A restore or a rollback was interrupted'),
        ])
      }
      const again = await here(dataDir, ['rollback', '--yes', '--json'])
      const isDone = again.code === 1 && again.errors.includes('nothing to go back from')
      expect({
        at,
        isDone: again.code === 0 || isDone,
        errors: isDone ? '' : again.errors,
      }).toEqual({
        ...{ at, isDone: true, errors: '' },
      })
      expect(stateOf(databaseIn(dataDir))).toEqual(FORMER)
      const names = readdirSync(dataDir)
      expect(names).not.toContain('restoring')
      const kept = names.filter((name) => name.endsWith('.before-restore'))
      expect({ at, kept: kept.map((name) => name.split('.')[0] ?? '').toSorted() }).toEqual({
        at,
        kept: ['media', 'switchboard'],
      })
      for (const name of kept)
        if (name.startsWith('media'))
          expect(mediaIn(join(dataDir, name))).toEqual(mediaIn(join(upgraded, 'media')))
        else expect(stateOf(join(dataDir, name))).toEqual(PRESENT)
      expect(mediaIn(join(dataDir, 'media'))).toEqual(mediaIn(join(upgraded, 'media')))
      rmSync(dataDir, { recursive: true })
    })
    expect(seen).toContain('present')
  }, 600_000)

  test('between two moves, the database is missing, and the rollback puts it back first', async () => {
    const dataDir = another()
    const at = '20261130T120000'
    const work = join(dataDir, 'restoring')
    mkdirSync(join(work, 'ready'), { recursive: true })
    copyFileSync(copyIn(dataDir), join(work, 'ready', 'switchboard.sqlite'))
    const kept = (name: string): string => join(dataDir, `${name}.${at}.before-restore`)
    writeFileSync(
      join(work, 'swap.json'),
      JSON.stringify({
        mark: at,
        former: ['switchboard.sqlite', 'media'],
        brought: ['media', 'switchboard.sqlite'],
        report: null,
      }),
    )
    for (const name of ['switchboard.sqlite', 'media']) renameSync(join(dataDir, name), kept(name))
    mkdirSync(join(dataDir, 'media'))
    const asked = await here(dataDir, ['rollback'])
    expect([asked.code, asked.out]).toEqual([2, expect.stringContaining('What came in since')])
    expect(stateOf(databaseIn(dataDir))).toEqual(PRESENT)
    expect(mediaIn(join(dataDir, 'media'))).toEqual(mediaIn(join(upgraded, 'media')))
    expect(readdirSync(dataDir).filter((name) => name.includes('restor'))).toEqual([])
  })

  test('before any step, the first start after a rollback settles once', async () => {
    const rolledBack = another()
    expect((await here(rolledBack, ['rollback', '--yes'])).code).toBe(0)
    const dataDir = another()
    const freshly = (more: Record<string, string>): ServerProcess => {
      rmSync(dataDir, { recursive: true })
      cpSync(rolledBack, dataDir, { recursive: true })
      return ServerProcess.spawn({
        command: same,
        cwd: folder,
        env: { ...envOf(dataDir), ...more },
      })
    }
    const undisturbed = async (more: Record<string, string>): Promise<void> => {
      await using server = freshly(more)
      await server.listening()
      await server.stop()
    }
    await killedAtSteps(undisturbed, async (at) => {
      await using server = freshly({ KILL_AT: String(at) })
      await server.listening().catch(() => undefined)
      await server.kill()
      await using calm = await ServerProcess.start({ cwd: folder, env: envOf(dataDir) })
      const manager = await managerOf(calm)
      const notices = (await manager.get('/api/me/notifications')).data['items'] as Loose[]
      expect(
        notices.filter(({ body }) => String(body).startsWith('A backup was restored')),
      ).toHaveLength(1)
    })
    expect([...fixture.calls().values()].every((calls) => calls === 1)).toBe(true)
  }, 600_000)

  test('before any step, a migration is repeated from an unchanged database, with one copy', async () => {
    const former = another((path) => {
      copyFileSync(copyIn(path), databaseIn(path))
      rmSync(join(path, 'backups'), { recursive: true })
    })
    const dataDir = another()
    const freshly = (more: Record<string, string>): Promise<CommandResult> => {
      rmSync(dataDir, { recursive: true })
      cpSync(former, dataDir, { recursive: true })
      return run(next, dataDir, ['migrate'], more)
    }
    await killedAtSteps(freshly, async (at) => {
      const killed = await freshly({ KILL_AT: String(at) })
      expect({ at, code: killed.code }).toEqual({ at, code: null })
      expect((await run(next, dataDir, ['migrate'])).code).toBe(0)
      expect(stateOf(databaseIn(dataDir)).isNext).toBe(true)
      const left = readdirSync(join(dataDir, 'backups'))
      expect({ at, left }).toEqual({
        at,
        left: [expect.stringMatching(/^before-0001_next-\d+\.sqlite$/)],
      })
      expect(stateOf(copyIn(dataDir)).isNext).toBe(false)
    })
  }, 600_000)
})

import type { SQLQueryBindings } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import type { Program } from '../../src/container'
import { columnsLeftBehind } from '../../src/infra/table-fates'
import { INSTALLATION, systemCtx, type Ctx } from '../../src/infra/ctx'
import { transact } from '../../src/infra/db/transact'
import { identityOf, liveIdentity } from '../../src/modules/organization/auth/authenticate'
import { prepareSession } from '../../src/modules/organization/auth/issue-tokens'
import { LEAST_COST } from '../../src/modules/data/organization-archive/archive-format'
import { createArchiveKey } from '../../src/modules/data/organization-archive/archive-secrets'
import { getImport } from '../../src/modules/data/organization-import/queries'
import { runImport } from '../../src/modules/data/organization-import/run/job'
import {
  completeMoveImportIn,
  importFrom,
  importFromCell,
} from '../../src/modules/data/organization-import/start'
import { organizationImportView } from '../../src/modules/data/organization-import/view'
import { obstacleOf } from '../../src/modules/data/organization-move/source/drain'
import { stopWorkingIn } from '../../src/modules/channel/accounts/arrive'
import { prices } from '../../src/modules/channel/prices/table'
import { createUserIn, findUserByEmail } from '../../src/modules/organization/users/service'
import type { Client } from './client'
import { readRows } from './sql'

/** How organizations get to another server: from a file, or with the work that is under way. */
export type Travel = 'import' | 'move'

const PASSPHRASE = 'a passphrase for the way'

/** Rows that an import stops, ends or dates anew, as `docs/export-and-import.md` says. */
const UNDER_WAY = [
  "campaigns where deleted_at_ms is null and status in ('scheduled', 'sending', 'paused')",
  "campaign_recipients where status = 'sending'",
  "messages where stage in ('queued', 'held', 'uploading', 'sending', 'retry_wait', 'ambiguous')",
  "scheduled_messages where state = 'sending'",
  "bot_sessions where status = 'active'",
  'bot_inbox',
  `conversations where state = 'pending' or unpublished <> '[]'`,
  'transfers where due_at_ms is not null',
  "webhook_deliveries where state = 'pending'",
  "webhook_replays where state = 'running'",
  'webhook_endpoints where failures > 0 or failing_since_ms is not null',
  "scheduled_report_runs where state = 'sending'",
  "scheduled_report_mails where state = 'pending'",
]

const isAnyIn = ({ http }: Program, rows: string): boolean =>
  readRows(http.db.sqlite, `select 1 as found from ${rows} limit 1`).length > 0

const organizationsOf = ({ http }: Program): { id: string; state: string }[] =>
  readRows(http.db.sqlite, 'select id, state from organizations order by created_at_ms, id')

/** Whether there are organizations, and all of them work. */
export function areActive(program: Program): boolean {
  const organizations = organizationsOf(program)
  return organizations.length > 0 && organizations.every(({ state }) => state === 'active')
}

/**
 * Returns what keeps the organizations of a server from leaving it now without a difference that the
 * documentation names; `null` for nothing.
 */
export function reasonToStay(program: Program, travel: Travel): string | null {
  const { http } = program
  const organizations = organizationsOf(program)
  const now = http.clock.nowMs()
  const resting = [
    ...UNDER_WAY,
    `scheduled_messages where state = 'scheduled' and send_at_ms <= ${now}`,
    "jobs where state in ('available', 'retryable')",
    `jobs where state = 'scheduled' and scheduled_at_ms <= ${now}`,
  ]
  return (
    (areActive(program) ? null : 'an organization that does not work') ??
    ['inbound_staging', ...(travel === 'move' ? [] : resting)].find((rows) =>
      isAnyIn(program, rows),
    ) ??
    organizations
      .map(({ id }) => obstacleOf(systemCtx(http, id), 0))
      .find((obstacle) => obstacle !== null) ??
    null
  )
}

/** Writes the archive of an organization, with its secrets. */
async function exported(program: Program, organizationId: string, travel: Travel, target: string) {
  const { http } = program
  const written = await http.archives.write(
    {
      ...{ target, organizationId, hasFiles: true, credentials: 'all' },
      isMove: travel === 'move',
      filesFolder: http.files.folder,
      nowMs: http.clock.nowMs(),
      productVersion: http.version,
      tables: http.tables,
      key: await createArchiveKey(PASSPHRASE, (bytes) => new Uint8Array(bytes).fill(1), LEAST_COST),
    },
    new AbortController().signal,
  )
  if ('problem' in written) throw new Error(written.problem)
}

const work = (ctx: Ctx, id: string): Promise<unknown> =>
  runImport(
    {
      ...ctx,
      ...{ jobId: id, attempt: 1, isLastAttempt: true, gateKey: '' },
      signal: new AbortController().signal,
    },
    id,
  )

/** Imports an archive. Throws unless all of it arrived, and every count is as it was. */
async function imported(
  { http }: Program,
  { travel, path, organizationId }: { travel: Travel; path: string; organizationId: string },
): Promise<void> {
  const ctx = systemCtx(http, INSTALLATION)
  let id: string
  if (travel === 'import') {
    const started = await importFrom(ctx, {
      ...{ passphrase: PASSPHRASE, isDryRun: false },
      ...{ readPath: path, archivePath: path, file: null, filename: path },
    })
    id = started.id
    await work(ctx, id)
  } else {
    const moveId = http.ids.next()
    const facts = { moveId, organizationId, path, passphrase: PASSPHRASE }
    await importFromCell(ctx, { ...facts, cell: 'http://127.0.0.1:9' })
    const [row] = readRows(
      http.db.sqlite,
      'select id from organization_imports where move_id = ?',
      [moveId],
    )
    id = String(row?.['id'])
    await work(ctx, id)
    transact(http.db, (tx) => completeMoveImportIn(tx, ctx, moveId))
    await work(ctx, id)
  }
  const { state, error, conflicts } = organizationImportView(getImport(ctx, id))
  const found = conflicts.filter(({ kind }) => kind !== 'email_exists')
  if (state !== 'completed' || found.length > 0)
    throw new Error(`the import is ${state}: ${JSON.stringify({ error, found })}`)
}

/** Creates the super admins of the other server, with the passwords that they have here. */
function addSuperAdmins(from: Program, to: Program): void {
  const admins = readRows<{ email: string; name: string; hash: string }>(
    from.http.db.sqlite,
    'select email, full_name as name, password_hash as hash from users where is_super_admin = 1',
  )
  transact(to.http.db, (tx) => {
    for (const { email, name, hash } of admins)
      createUserIn(tx, to.http, {
        ...{ email, fullName: name, passwordHash: hash },
        ...{ mustChangePassword: false, isSuperAdmin: true, homeOrganizationId: null },
      })
  })
}

/** Copies the prices of the platform, which the operator of the other server sets there, too. */
function copyPrices(from: Program, to: Program): void {
  const rows = from.http.db.orm.select().from(prices).all()
  if (rows.length > 0) transact(to.http.db, (tx) => tx.insert(prices).values(rows).run())
}

/** What only tells that there was an import. Tests count the rows that their story made. */
const TRACES = [
  "audit_logs where action = 'imported' and resource_type = 'organization'",
  "notifications where kind = 'organization_imported'",
  "jobs where kind = 'organization.import'",
  'organization_imports',
]

/** What only servers can vouch for, with what follows from it. */
const VOUCHED = ['accounts', 'templates', 'invitations']
const FOLLOWING: Record<string, string[]> = { invitations: ['revoked_at_ms'] }

/**
 * Lets the platform say at the other server what it said before, without a call that a test would
 * count, and links open there.
 */
export function vouchAgain(from: Program, to: Program): void {
  for (const fate of to.http.tables.filter(({ table }) => VOUCHED.includes(table))) {
    const left = columnsLeftBehind(fate, { isMove: false }).map(({ name }) => name)
    const columns = [...left, ...(FOLLOWING[fate.table] ?? [])]
    const rows = from.http.db.sqlite
      .query<Record<string, SQLQueryBindings>, []>(
        `select ${columns.join(', ')}, organization_id, id from "${fate.table}"`,
      )
      .all()
    const set = columns.map((column) => `${column} = ?`).join(', ')
    for (const row of rows)
      to.http.db.sqlite.run(
        `update "${fate.table}" set ${set} where organization_id = ? and id = ?`,
        Object.values(row),
      )
  }
  to.http.db.sqlite.run("delete from jobs where kind = 'account.check' and state = 'available'")
}

/**
 * Takes all organizations of a server to another one, which is empty, and stops the numbers at the
 * first one.
 */
export async function travelTo(from: Program, to: Program, travel: Travel): Promise<void> {
  const folder = join(to.http.files.folder, 'arriving')
  mkdirSync(folder, { recursive: true })
  addSuperAdmins(from, to)
  copyPrices(from, to)
  for (const { id: organizationId } of organizationsOf(from)) {
    const path = join(folder, `${organizationId}.zip`)
    if (travel === 'move')
      transact(from.http.db, (tx) => stopWorkingIn(tx, systemCtx(from.http, organizationId)))
    await exported(from, organizationId, travel, path)
    await imported(to, { travel, path, organizationId })
  }
  for (const rows of TRACES) to.http.db.sqlite.run(`delete from ${rows}`)
  to.relay.drain()
}

/**
 * Signs the users of clients in at the server to which their organizations went: sessions stay
 * behind. A client without a live session keeps its token.
 */
export async function signInAgain(
  from: Program,
  to: Program,
  clients: Iterable<Client>,
): Promise<void> {
  for (const client of clients) {
    const token = await tokenAt(from, to, client.token)
    if (token !== null) client.headers['authorization'] = `Bearer ${token}`
  }
}

async function tokenAt(from: Program, to: Program, token: string): Promise<string | null> {
  let live: ReturnType<typeof liveIdentity>
  try {
    live = liveIdentity(from.http, await from.auth.tokens.readAccess(token))
  } catch {
    return null
  }
  const { session, identity } = live
  const user = findUserByEmail(to.http, identity.user.email)
  if (!user) return null
  const organizationId = identity.organizationId
  const { ipAddress, userAgent } = session
  const who = { userId: user.id, organizationId, ipAddress, userAgent, requestId: 'travel' }
  const prepared = await prepareSession(to.http, to.auth, who)
  transact(to.http.db, (tx) => prepared.storeIn(tx))
  return (await prepared.pair(identityOf(to.http, user, organizationId))).access_token
}

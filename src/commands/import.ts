import { once } from 'node:events'
import { createWriteStream, statSync } from 'node:fs'
import { resolve } from 'node:path'

import { readCommandVariable } from '../config'
import { NotFoundError } from '../lib/errors'
import { isUuid } from '../lib/ids'
import { isCountry } from '../lib/phone'
import {
  importFrom,
  listImports,
  openChatwoot,
  openWhatomate,
  reasonsOf,
  reportOf,
  totalsOf,
  undoImport,
  UNDO_DAYS,
  type ChatwootAccess,
  type ImportResult,
  type ProductSource,
} from '../modules/data/product-imports/cli'
import { organizationNamed } from '../modules/organization/organizations/service'
import { withProgram } from './database'
import {
  print,
  requiredText,
  table,
  textOf,
  toMinute,
  UsageError,
  type Command,
  type Invocation,
} from './command'

/** The flags of each subcommand. */
const OF_ALL = ['organization', 'check', 'number', 'country', 'invite-as', 'report'] as const
const FLAGS_OF: Record<string, readonly string[]> = {
  chatwoot: [...OF_ALL, 'url', 'account'],
  whatomate: [...OF_ALL, 'media', 'from'],
  list: [],
  undo: [],
}

/** Brings over what a company has in another product, and takes it back. */
export const productImport: Command = {
  name: 'import',
  forms: [
    [
      'import chatwoot --url URL --account NUMBER --organization NAME [--check]',
      'bring over an account of Chatwoot; the token is in CHATWOOT_TOKEN',
    ],
    [
      'import whatomate FILE --organization NAME [--media FOLDER] [--from NAME] [--check]',
      'bring over an organization of whatomate from a dump of its database',
    ],
    ['import list', 'list such imports'],
    ['import undo ID', `take back what an import brought, within ${UNDO_DAYS} days`],
  ],
  more:
    '--check only counts, and tells what would be left out and why. --report FILE writes that as CSV.\n' +
    'Run it again to go on after a stop, or for what is new; nothing comes twice. The server may keep ' +
    'running.\n--organization is the ID, slug or name of the one here. --number takes messages of ' +
    'numbers that are not\nconnected to this one, --country reads numbers without a country (such as ' +
    'DE), --invite-as EMAIL\ninvites colleagues by e-mail in the name of this member.\nCHATWOOT_TOKEN or ' +
    'CHATWOOT_TOKEN_FILE has the access token of an administrator, never an argument.\nThe dump is ' +
    'made with: pg_dump --inserts --file=dump.sql whatomate',
  flags: {
    ...Object.fromEntries(
      ['url', 'account', 'organization', 'number', 'country', 'invite-as', 'report'].map((name) => [
        name,
        { type: 'string' },
      ]),
    ),
    media: { type: 'string' },
    from: { type: 'string' },
    check: { type: 'boolean' },
  },
  words: 2,
  async run(invocation) {
    const { words, flags } = invocation
    const [verb, name] = words
    if (verb === undefined || FLAGS_OF[verb] === undefined)
      throw new UsageError(
        verb === undefined
          ? 'import needs a product: chatwoot or whatomate.'
          : `Unknown command "import ${verb}".`,
      )
    const surplus = OPTIONS.find(
      (flag) => flags[flag] !== undefined && !FLAGS_OF[verb]?.includes(flag),
    )
    if (surplus !== undefined) throw new UsageError(`"import ${verb}" has no option --${surplus}.`)
    const takesName = verb === 'whatomate' || verb === 'undo'
    if (!takesName && name !== undefined)
      throw new UsageError(`Too many arguments for "import ${verb}": ${name}.`)
    if (verb === 'list') return await list(invocation)
    if (verb === 'undo') return await undo(invocation, name ?? '')
    return await bringOver(invocation, opener(invocation, verb, name))
  },
}

const OPTIONS = [...new Set(Object.values(FLAGS_OF).flat())]

/** Opens a product, with what the program gives. */
type Opening = (from: Pick<ChatwootAccess, 'clock' | 'proxy' | 'random'>) => Promise<ProductSource>

/** Reads what the product needs. Returns what opens it. Throws UsageError. */
function opener({ flags, variables }: Invocation, verb: string, file: string | undefined): Opening {
  if (verb === 'whatomate') {
    if (file === undefined) throw new UsageError('import whatomate needs the path of a dump.')
    const path = resolve(file)
    if (!(statSync(path, { throwIfNoEntry: false })?.isFile() ?? false))
      throw new NotFoundError(`The file ${path}`)
    const media = textOf(flags, 'media')
    if (
      media !== undefined &&
      !(statSync(media, { throwIfNoEntry: false })?.isDirectory() ?? false)
    )
      throw new NotFoundError(`The folder ${resolve(media)}`)
    const organization = textOf(flags, 'from') ?? null
    return () =>
      openWhatomate({ path, organization, media: media === undefined ? null : resolve(media) })
  }
  const account = requiredText(flags, 'account')
  const url = URL.parse(requiredText(flags, 'url'))
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError('--url must be an address such as https://chat.example.com.')
  if (!/^\d{1,18}$/.test(account)) throw new UsageError('--account must be a number.')
  const token = readCommandVariable(variables(), 'CHATWOOT_TOKEN')?.trim() ?? ''
  if (token === '')
    throw new UsageError(
      'Set CHATWOOT_TOKEN, or CHATWOOT_TOKEN_FILE to the path of a file with it.',
    )
  return (from) => openChatwoot({ ...from, url, account, token })
}

async function bringOver(invocation: Invocation, open: Opening): Promise<void> {
  const { flags, isJson } = invocation
  const wanted = requiredText(flags, 'organization')
  const country = textOf(flags, 'country')?.toUpperCase() ?? null
  if (country !== null && !isCountry(country))
    throw new UsageError('--country must be two letters, such as DE.')
  const isCheck = flags['check'] === true
  await withProgram(invocation, async ({ http }, { egress }) => {
    const organization = organizationNamed(http, wanted)
    const source = await open({ ...http, proxy: egress.proxy })
    const result = await importFrom(http, organization.id, source, {
      ...{ isCheck, country, number: textOf(flags, 'number') ?? null },
      inviteAs: textOf(flags, 'invite-as') ?? null,
      onProgress: progress(isJson),
    }).finally(() => source.close())
    try {
      const report = textOf(flags, 'report')
      if (report !== undefined) await writeReport(resolve(report), result)
      tell(result, { isJson, organization, report })
    } finally {
      result.close()
    }
  })
}

/** How many things lie between two lines of progress. */
const STEP = 5_000

/** Returns what tells the progress on standard error, where it is in nobody's way. */
function progress(isJson: boolean): (count: number) => void {
  let told = 0
  return (count) => {
    if (isJson || count < told + STEP) return
    told = count
    process.stderr.write(`${count} …\n`)
  }
}

async function writeReport(path: string, { items }: ImportResult): Promise<void> {
  const out = createWriteStream(path, { mode: 0o600 })
  for (const line of reportOf(items)) if (!out.write(line)) await once(out, 'drain')
  out.end()
  await once(out, 'finish')
}

/** How many things came. */
const broughtBy = (counts: ImportResult['counts']): number =>
  totalsOf(counts).reduce((sum, total) => sum + total.new, 0)

function tell(
  { id, counts, before }: ImportResult,
  at: { isJson: boolean; organization: { id: string; name: string }; report: string | undefined },
): void {
  const totals = totalsOf(counts)
  const reasons = reasonsOf(counts)
  const { isJson, organization, report } = at
  if (isJson)
    return print(
      JSON.stringify({ import_id: id, organization_id: organization.id, totals, reasons }),
    )
  const rows = totals.map((total) => [
    total.kind.replaceAll('_', ' '),
    ...[total.new, total.joined, total.left_out].map(String),
  ])
  print(`Organization: ${organization.name} (${organization.id})`)
  print(table(['', id === null ? 'to bring' : 'brought', 'already here', 'left out'], rows))
  if (before.length > 0)
    print(`These are all runs together. This one brought ${broughtBy(counts) - broughtBy(before)}.`)
  for (const { kind, says, things } of reasons)
    print(`${things} × ${kind.replaceAll('_', ' ')}: ${says}`)
  if (reasons.length > 0 && report === undefined) print('--report FILE writes each of them as CSV.')
  print(
    id === null
      ? 'This was a check: nothing was brought over. Run it again without --check.'
      : `Import ${id} is complete. To take it back within ${UNDO_DAYS} days: switchboard import undo ${id}`,
  )
}

async function list(invocation: Invocation): Promise<void> {
  const rows = await withProgram(invocation, ({ http }) => listImports(http))
  if (invocation.isJson) return print(JSON.stringify(rows))
  print(
    table(
      ['id', 'organization', 'product', 'state', 'started', 'ended'],
      rows.map((row) => [
        ...[row.id, row.organization_id, row.product, row.state],
        ...[toMinute(row.started_at), toMinute(row.finished_at)],
      ]),
    ),
  )
}

async function undo(invocation: Invocation, id: string): Promise<void> {
  if (!isUuid(id)) throw new UsageError('import undo needs the ID of an import.')
  const { isJson } = invocation
  const undone = await withProgram(invocation, ({ http }) =>
    undoImport(http, id.toLowerCase(), progress(isJson)),
  )
  if (isJson) return print(JSON.stringify({ import_id: id, undone }))
  print(
    table(
      ['', 'taken back', 'kept'],
      undone.map(({ kind, removed, kept }) => [
        ...[kind.replaceAll('_', ' '), String(removed), String(kept)],
      ]),
    ),
  )
  if (undone.some(({ kept }) => kept > 0))
    print('What is kept was changed or used since, or belongs to something that was.')
}

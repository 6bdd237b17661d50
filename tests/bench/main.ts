/**
 * Measures the server: everything in one report (`bun run bench`), or by name (`bun run bench
 * ingest [--save]`).
 */
import { parseArgs } from 'node:util'

import { benchBot } from './bot'
import { benchCells } from './cells'
import { benchMove } from './move'
import { benchCampaign } from './campaign'
import { benchConsole } from './console/main'
import { benchEverything, FIGURES } from './everything'
import { benchFelt } from './felt'
import { FELT } from './felt-parts'
import { benchFairness } from './fairness'
import { benchIds } from './ids'
import { benchInbox } from './inbox'
import { benchImport } from './import'
import { benchIngest } from './ingest'
import { benchLists } from './lists'
import { benchReportPages } from './report-pages'
import { benchReports } from './reports'
import { benchLogin } from './login'
import { benchArchive } from './archive'
import { benchPrivacy } from './privacy'
import { benchRecipients } from './recipients'
import { benchResume } from './resume'
import { benchSearch } from './search'
import { benchSending } from './sending'
import { benchGrowth, benchSide, benchYear, PARTS } from './side'
import { benchWebhooks } from './webhooks'

const BENCHES: Record<
  string,
  (options: { isSaved: boolean; steps: number[]; words: string[] }) => Promise<void>
> = {
  ingest: benchIngest,
  bot: benchBot,
  cells: benchCells,
  move: benchMove,
  login: benchLogin,
  lists: benchLists,
  reports: benchReports,
  'report-pages': benchReportPages,
  inbox: benchInbox,
  ids: benchIds,
  sending: benchSending,
  import: benchImport,
  fairness: benchFairness,
  campaign: benchCampaign,
  recipients: benchRecipients,
  console: benchConsole,
  archive: benchArchive,
  privacy: benchPrivacy,
  resume: benchResume,
  search: benchSearch,
  webhooks: benchWebhooks,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    save: { type: 'boolean', default: false },
    steps: { type: 'string', default: '1,8,32,64,128' },
    check: { type: 'boolean', default: false },
    mib: { type: 'string', default: '1024' },
    against: { type: 'string' },
    rounds: { type: 'string', default: '1' },
  },
})
const [name] = positionals
const bench = BENCHES[name ?? '']
const rest = positionals.slice(1)
if (name === 'side' && rest.every((one) => one in PARTS)) {
  const { check, save, mib } = values
  const isWithin = await benchSide({ parts: rest, mib: Number(mib), checks: check, saves: save })
  process.exitCode = isWithin ? 0 : 1
} else if (name === 'size') await benchYear(...rest.slice(0, 1).map(Number))
else if (name === 'felt') {
  const { save, against, rounds } = values
  const options = { isSaved: save, words: rest, rounds: Number(rounds) }
  await benchFelt(against === undefined ? options : { ...options, against })
} else if (name === 'growth') {
  const [many, few] = rest.map(Number)
  await benchGrowth(many, few)
} else if (bench)
  await bench({
    isSaved: values.save,
    steps: values.steps.split(',').map(Number),
    words: rest,
  })
else if (positionals.every((one) => one in FIGURES))
  await benchEverything(positionals.length === 0 ? undefined : positionals)
else {
  console.error(
    `Nothing, for the report of everything; figures of it: ${Object.keys(FIGURES).join(', ')}; or felt (of it ${Object.keys(FELT).join(', ')}), side (of it ${Object.keys(PARTS).join(', ')}), size, growth, or one of ${Object.keys(BENCHES).join(', ')}, where --save writes the report to tests/bench/results/<name>.md.`,
  )
  process.exit(2)
}

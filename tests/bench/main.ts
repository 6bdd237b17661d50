/** Measures the server by name: `bun run bench ingest [--save]`. */
import { parseArgs } from 'node:util'

import { benchIds } from './ids'
import { benchInbox } from './inbox'
import { benchImport } from './import'
import { benchIngest } from './ingest'
import { benchLists } from './lists'
import { benchLogin } from './login'
import { benchSending } from './sending'

const BENCHES: Record<string, (options: { isSaved: boolean; steps: number[] }) => Promise<void>> = {
  ingest: benchIngest,
  login: benchLogin,
  lists: benchLists,
  inbox: benchInbox,
  ids: benchIds,
  sending: benchSending,
  import: benchImport,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { save: { type: 'boolean', default: false }, steps: { type: 'string', default: '1,8,32,64,128' } },
})
const bench = BENCHES[positionals[0] ?? '']
if (!bench) {
  console.error(`Say what to measure: ${Object.keys(BENCHES).join(', ')}. --save writes the table into tests/bench/README.md.`)
  process.exit(2)
}
await bench({ isSaved: values.save, steps: values.steps.split(',').map(Number) })

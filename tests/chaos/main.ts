/**
 * Kills the server at random moments for as many minutes as the argument says (1 unless said), round after round, each on a fresh
 * installation: `bun run chaos 30`. `--seed N` plays one round again. Ends with 1 when anything was wrong.
 */
import { parseArgs } from 'node:util'

import { runChaos } from './run'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, kills: { type: 'string', default: '14' } },
})
const endMs = performance.now() + Number(positionals[0] ?? '1') * 60_000

let rounds = 0
let failed = 0
do {
  const seed = values.seed === undefined ? Math.floor(Math.random() * 1_000_000) : Number(values.seed)
  const report = await runChaos({ seed, kills: Number(values.kills) })
  rounds += 1
  if (report.faults.length > 0) failed += 1
  const facts = `${report.kills} kills (${report.killsWhileStarting} while starting), ${report.acknowledged} webhooks, ${report.reposted} posted again, ${report.messages} messages in, ${report.sends} out, ${report.framesHeard} frames, ${report.tookS.toFixed(1)} s`
  console.log(`${report.faults.length === 0 ? 'ok    ' : 'FAILED'} seed ${report.seed}: ${facts}`)
  for (const fault of report.faults) console.log(`       ${fault}`)
} while (values.seed === undefined && performance.now() < endMs)

console.log(`${rounds - failed} rounds passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)

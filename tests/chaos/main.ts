/**
 * Kills the server at random moments for as many minutes as the argument says (1 unless said), round after round, each on a fresh
 * installation: `bun run chaos 30`. `--seed N` plays one round again. `--sends 1000` sends so many messages instead while it kills, and
 * counts how often each arrived. Ends with 1 when anything was wrong.
 */
import { parseArgs } from 'node:util'

import { runChaos } from './run'
import { runSends } from './sends'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, kills: { type: 'string', default: '14' }, sends: { type: 'string' } },
})
const endMs = performance.now() + Number(positionals[0] ?? '1') * 60_000

let rounds = 0
let failed = 0
do {
  const seed = values.seed === undefined ? Math.floor(Math.random() * 1_000_000) : Number(values.seed)
  rounds += 1
  if (values.sends !== undefined) {
    const { kills, sent, unknown, tookS, faults } = await runSends({ seed, count: Number(values.sends) })
    if (faults.length > 0) failed += 1
    console.log(
      `${faults.length === 0 ? 'ok    ' : 'FAILED'} seed ${seed}: ${kills} kills, ${sent} messages, ${unknown} unknown, ${tookS.toFixed(1)} s`,
    )
    for (const fault of faults) console.log(`       ${fault}`)
    continue
  }
  const report = await runChaos({ seed, kills: Number(values.kills) })
  if (report.faults.length > 0) failed += 1
  const facts = `${report.kills} kills (${report.killsWhileStarting} while starting), ${report.acknowledged} webhooks, ${report.reposted} posted again, ${report.messages} messages in, ${report.sends} out, ${report.framesHeard} frames, ${report.tookS.toFixed(1)} s`
  console.log(`${report.faults.length === 0 ? 'ok    ' : 'FAILED'} seed ${report.seed}: ${facts}`)
  for (const fault of report.faults) console.log(`       ${fault}`)
} while (values.seed === undefined && performance.now() < endMs)

console.log(`${rounds - failed} rounds passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)

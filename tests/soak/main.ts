/**
 * Keeps a server under a constant mixed load, ten minutes unless `--minutes` says otherwise, and
 * looks whether its memory, its write-ahead log, its open files and the delay of its event loop end
 * where they were after the first minute. Prints a table; ends with 1 when something grew by more
 * than ten per cent, when an answer was wrong or the log complained.
 */
import { parseArgs } from 'node:util'

import { runSoak } from './run'
import { judge, tableOf } from './verdict'

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } })
const minutes = Number(values.minutes)
if (!(minutes >= 3)) {
  console.error('--minutes is 3 or more: what counts is what changes after the first minute.')
  process.exit(2)
}
const story = await runSoak(minutes, (line) => console.log(line))
const verdicts = judge(story.samples)
console.log(`\n${tableOf(verdicts)}`)
console.log(
  `\n${story.webhooks} webhooks, ${story.sends} sends, ${story.reads} reads, ${story.frames} frames`,
)
for (const fault of story.faults) console.log(`wrong: ${fault}`)
const isGood = story.faults.length === 0 && verdicts.every(({ holds }) => holds)
console.log(isGood ? 'passed' : 'failed')
process.exit(isGood ? 0 : 1)

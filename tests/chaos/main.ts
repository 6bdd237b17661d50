/**
 * Kills the server at random moments, a hundred times unless `--kills` says otherwise, in rounds of
 * 25, each on a fresh installation; then lets other bad things happen to a server that goes on
 * living. `--seed N` plays one round of kills again, `--only` and a word (kills, alive, clock,
 * disk, readonly) leaves the rest out. `--sends 1000` sends so many messages instead while it
 * kills, and counts how often each arrived; `--load 0.3` has so much of the traffic. The word
 * `webhooks` plays the round of outbound webhooks instead, `bot` that of the chatbot, `moves` that of
 * organizations that move between two servers. Ends with 1 when anything was wrong.
 */
import { parseArgs } from 'node:util'

import { runBots } from './bots'
import { runHooks } from './hooks'
import { runMoves } from './moves'
import type { Options } from './options'
import { runChaos } from './run'
import { runSends } from './sends'
import { SKEWED } from './installation'
import { protectableDisk, smallDisk } from './disks'
import {
  clockJumps,
  databaseLocked,
  deadWeight,
  diskFills,
  diskReadOnly,
  platformHangs,
  platformTalksNonsense,
  standsStill,
} from './troubles'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    kills: { type: 'string', default: '100' },
    load: { type: 'string', default: '1' },
    only: { type: 'string' },
    sends: { type: 'string' },
  },
})
const ROUNDS = ['kills', 'alive', 'clock', 'disk', 'readonly']
if (values.only !== undefined && !ROUNDS.includes(values.only))
  throw new Error(`--only takes one of: ${ROUNDS.join(', ')}`)

const KILLS_PER_ROUND = 25
/** A job that was killed at each of its twenty attempts is given up: a round has fewer kills. */
const HOOK_KILLS_PER_ROUND = 15

let failed = 0
let rounds = 0

const nextSeed = (): number =>
  values.seed === undefined ? Math.floor(Math.random() * 1_000_000) : Number(values.seed)

async function play(name: string, options: Omit<Options, 'seed'>): Promise<void> {
  const seed = nextSeed()
  const report = await runChaos({ seed, load: Number(values.load), ...options })
  rounds += 1
  if (report.faults.length > 0) failed += 1
  const facts = `${report.kills} kills (${report.killsWhileStarting} while starting), ${report.acknowledged} webhooks, ${report.reposted} posted again, ${report.messages} messages in, ${report.sends} out, ${report.campaigns} campaigns, ${report.framesHeard} frames, ${report.tookS.toFixed(1)} s`
  console.log(
    `${report.faults.length === 0 ? 'ok    ' : 'FAILED'} ${name}, seed ${report.seed}: ${facts}`,
  )
  for (const fault of report.faults) console.log(`       ${fault}`)
}

async function playSends(count: number): Promise<void> {
  const seed = nextSeed()
  const { kills, sent, unknown, tookS, faults } = await runSends({ seed, count })
  rounds += 1
  if (faults.length > 0) failed += 1
  console.log(
    `${faults.length === 0 ? 'ok    ' : 'FAILED'} seed ${seed}: ${kills} kills, ${sent} messages, ${unknown} unknown, ${tookS.toFixed(1)} s`,
  )
  for (const fault of faults) console.log(`       ${fault}`)
}

async function playHooks(kills: number): Promise<void> {
  const report = await runHooks({ seed: nextSeed(), kills })
  rounds += 1
  if (report.faults.length > 0) failed += 1
  const facts = `${report.kills} kills (${report.killsWhileStarting} while starting), ${report.posted} webhooks in, ${report.sent} sent, ${report.deliveries} deliveries, ${report.requests} requests, ${report.again} of them again, ${report.tookS.toFixed(1)} s`
  console.log(
    `${report.faults.length === 0 ? 'ok    ' : 'FAILED'} webhooks, seed ${report.seed}: ${facts}`,
  )
  for (const fault of report.faults) console.log(`       ${fault}`)
}

async function playBots(kills: number): Promise<void> {
  const report = await runBots({ seed: nextSeed(), kills })
  rounds += 1
  if (report.faults.length > 0) failed += 1
  const facts = `${report.kills} kills, ${report.talks} talks, ${report.replies} replies, ${report.questions} questions to the AI, ${report.requests} requests, ${report.tookS.toFixed(1)} s`
  console.log(
    `${report.faults.length === 0 ? 'ok    ' : 'FAILED'} bot, seed ${report.seed}: ${facts}`,
  )
  for (const fault of report.faults) console.log(`       ${fault}`)
}

async function playMoves(kills: number): Promise<void> {
  const report = await runMoves({ seed: nextSeed(), kills })
  rounds += 1
  if (report.faults.length > 0) failed += 1
  const facts = `${report.kills} kills, ${report.moved} moved, ${report.stayed} stayed, ${report.received} webhooks, ${report.sent} sends, ${report.unknown} unknown, ${report.tookS.toFixed(1)} s`
  console.log(
    `${report.faults.length === 0 ? 'ok    ' : 'FAILED'} moves, seed ${report.seed}: ${facts}`,
  )
  for (const fault of report.faults) console.log(`       ${fault}`)
}

const isMoves = positionals.includes('moves')
if (isMoves) await playMoves(Number(values.kills))

const isBots = positionals.includes('bot')
if (isBots) await playBots(Number(values.kills))

const isHooks = positionals.includes('webhooks')
if (isHooks)
  for (let left = Number(values.kills); left > 0; left -= HOOK_KILLS_PER_ROUND)
    await playHooks(Math.min(left, HOOK_KILLS_PER_ROUND))

if (values.sends !== undefined) await playSends(Number(values.sends))

const isWanted = (word: string): boolean => {
  if (isBots || isHooks || isMoves || values.sends !== undefined) return false
  if (values.only !== undefined) return values.only === word
  return values.seed === undefined || word === 'kills'
}

if (isWanted('kills'))
  for (let left = Number(values.kills); left > 0; left -= KILLS_PER_ROUND)
    await play('kills', { kills: Math.min(left, KILLS_PER_ROUND) })

if (isWanted('alive')) {
  const weight = deadWeight()
  await play('stands still, locked, nonsense, silence, dead weight', {
    kills: 0,
    troubles: [
      weight.trouble,
      standsStill(5),
      databaseLocked,
      platformTalksNonsense,
      platformHangs,
      standsStill(35),
    ],
  })
  weight.end()
}

if (isWanted('clock'))
  await play('clock', { kills: 0, command: SKEWED, troubles: [clockJumps(1), clockJumps(-1)] })

if (isWanted('disk')) {
  const disk = smallDisk(48)
  if (disk) await play('disk', { kills: 0, within: disk.folder, troubles: [diskFills, diskFills] })
  else console.log('left out: the disk cannot be filled where no file system can be mounted')
  disk?.remove()
}

if (isWanted('readonly')) {
  const disk = protectableDisk(96)
  if (disk)
    await play('read-only disk', {
      kills: 0,
      within: disk.folder,
      troubles: [diskReadOnly, diskReadOnly],
    })
  else
    console.log(
      'left out: the disk cannot be made read-only where root, mkfs.ext4, a loop device or chattr is missing',
    )
  disk?.remove()
}

console.log(`${rounds - failed} rounds passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)

import { statSync } from 'node:fs'

import { machineOf } from '../report'
import { APART } from './multiply'
import { onRig } from './rig'
import { CLEANED, withYear } from './year'

/** Ten messages of a customer, five of them answers. */
const SHAPE = { customers: 100, texts: 500, answers: 500 }
const PER_COPY = SHAPE.texts + SHAPE.answers

const WARM_UP = 4_000
const TEXTS = 8_000
const ROUNDS = 2

/** A database of so many messages, and the processor time of a text in each round. */
interface Size {
  messages: number
  path: string
  cpuUs: number[]
}

/**
 * Compares the processor time of a text in a small database and in a large one, in turn and in one
 * run. The texts come from known customers all over the database. Returns a report.
 */
export const measureGrowth = (few: number, many: number): Promise<string> =>
  withSize(few, (small) =>
    withSize(many, async (large) => {
      for (let round = 0; round < ROUNDS; round += 1)
        for (const size of [small, large]) size.cpuUs.push(await textCpuUs(size, round))
      return reportOf(small, large)
    }),
  )

const withSize = <T>(messages: number, work: (size: Size) => Promise<T>): Promise<T> =>
  withYear({ shape: SHAPE, messages, without: CLEANED }, (path) => {
    console.error(`${messages} messages: ${gib(path)} GiB`)
    return work({ messages, path, cpuUs: [] })
  })

/** Processor time of the server for one text of a known customer, microseconds. */
const textCpuUs = ({ messages, path }: Size, round: number): Promise<number> =>
  onRig(
    async ({ post, costOf }) => {
      const copies = Math.round(messages / PER_COPY)
      const customersOf = { copies, apart: APART, inCopy: SHAPE.customers, from: round * TEXTS }
      await post({ count: WARM_UP })
      return (await costOf(TEXTS, () => post({ count: TEXTS, customersOf }))).cpuUs
    },
    { database: path },
  )

const gib = (path: string): string => (statSync(path).size / 1_024 ** 3).toFixed(1)

const mean = (values: number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

const reportOf = (small: Size, large: Size): string =>
  [
    '# A text in a large database',
    '',
    `${machineOf(large.path)} \`bun run bench growth\`: the compiled server receives ${TEXTS.toLocaleString('en-US')} texts of known customers, each of another one, in ${ROUNDS} rounds in turn. The log of events and the journal are empty before.`,
    '',
    '| messages before | file | processor time of a text |',
    '| ---: | ---: | ---: |',
    ...[small, large].map(
      (size) =>
        `| ${size.messages.toLocaleString('en-US')} | ${gib(size.path)} GiB | ${size.cpuUs.map((us) => us.toFixed(0)).join(', ')} µs |`,
    ),
    '',
    `Ratio: ${(mean(large.cpuUs) / mean(small.cpuUs)).toFixed(2)} (limit 1.3).`,
    '',
  ].join('\n')

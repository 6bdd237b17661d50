import { shown } from './figures/figure'
import { builtBinary } from './figures/binary'
import { machineOf, save } from './report'
import { measureIn } from './processes'
import { FELT, type FeltPart } from './felt-parts'
import { quantile, type SideFigure } from './side/part'

/** What is compared, and with what. */
interface FeltRequest {
  isSaved: boolean
  /** Parts by name; all of them by default, but for a million contacts. */
  words: string[]
  /** Another executable, such as that of an older commit. */
  against?: string
  rounds: number
}

/**
 * Measures what people feel, and prints the figures: of the executable of this version, and of another
 * one by turns if it is named. `isSaved` writes them to `results`.
 */
export async function benchFelt({ isSaved, words, against, rounds }: FeltRequest): Promise<void> {
  const executables = [builtBinary(), ...(against === undefined ? [] : [against])]
  const parts = (Object.keys(FELT) as FeltPart[]).filter(
    (part) => words.includes(part) || (words.length === 0 && part !== 'million'),
  )
  const lines: string[] = []
  for (const part of parts) {
    const measured: SideFigure[][][] = executables.map(() => [])
    for (let round = 0; round < rounds; round += 1)
      for (const [nth, executable] of executables.entries())
        measured[nth]?.push(
          await measureIn<SideFigure[]>('felt-part.ts', part, { BENCH_BINARY: executable }),
        )
    for (const line of linesOf(measured)) {
      console.log(line)
      lines.push(line)
    }
  }
  const head =
    against === undefined
      ? ['| | now |', '| --- | ---: |']
      : ['| | now | before | ratio |', '| --- | ---: | ---: | ---: |']
  const report = [machineOf('.'), '', ...head, ...lines].join('\n')
  console.log(`\n${report}\n`)
  if (isSaved) save('felt', report)
}

/** The middle values of all rounds, a line for each figure. */
function linesOf([now = [], before = []]: SideFigure[][][]): string[] {
  const middle = (rounds: SideFigure[][], key: string): number =>
    quantile(
      rounds.map((figures) => figures.find((one) => one.key === key)?.value ?? Number.NaN),
      0.5,
    )
  return (now[0] ?? []).map(({ key, name, unit }) => {
    const [ours, theirs] = [middle(now, key), middle(before, key)]
    const cells = [name, `${shown(ours)} ${unit}`]
    if (before.length > 0) cells.push(`${shown(theirs)} ${unit}`, (ours / theirs).toFixed(2))
    return `| ${cells.join(' | ')} |`
  })
}

import type { Config } from '../config'
import type { DoctorFinding } from '../modules/operation/system/finding'
import { table } from './command'

/**
 * Returns the report of `doctor` for people. What needs attention comes last and in whole sentences,
 * where a long table in a narrow terminal would cut it off: notes, then problems.
 */
export function doctorReport(shown: Config['shown'], findings: DoctorFinding[]): string {
  const settings = Object.entries(shown).map(([name, value]) => [name, String(value ?? 'unset')])
  const of = (state: DoctorFinding['state']): DoctorFinding[] =>
    findings.filter((one) => one.state === state)
  const problems = of('problem')
  return [
    table(['setting', 'value'], settings),
    table(
      ['check', 'in order'],
      of('ok').map(({ check, message }) => [check, message]),
    ),
    ...listed(of('note'), ['1 note:', (count) => `${count} notes:`]),
    ...listed(problems, ['1 problem found:', (count) => `${count} problems found:`]),
    ...(problems.length === 0 ? ['No problems found.'] : []),
  ].join('\n\n')
}

/** Returns the findings under a heading; nothing without findings. */
function listed(
  findings: DoctorFinding[],
  [one, many]: [one: string, many: (count: number) => string],
): string[] {
  if (findings.length === 0) return []
  const heading = findings.length === 1 ? one : many(findings.length)
  return [[heading, ...findings.map(({ check, message }) => `  ${check}: ${message}`)].join('\n')]
}

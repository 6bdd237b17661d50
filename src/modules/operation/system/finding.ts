import type { FindingCode } from './model'

/** A check and its result. `ok` needs no action, `note` is information, `problem` needs action. */
export interface DoctorFinding {
  check: string
  state: 'ok' | 'note' | 'problem'
  message: string
  /** What was found, for programs, and the numbers and names in it. Not if it is in order. */
  code?: FindingCode
  values?: Readonly<Record<string, string | number>>
}

/** Something that is in order. */
export const ok = (check: string, message: string): DoctorFinding => ({
  check,
  state: 'ok',
  message,
})

type Told = [code: FindingCode, message: string, values?: Readonly<Record<string, string | number>>]
const finding =
  (state: 'note' | 'problem') =>
  (check: string, ...[code, message, values = {}]: Told): DoctorFinding => ({
    ...{ check, state, message, code, values },
  })
/** Something that is worth to know. */
export const note = finding('note')
/** Something that somebody has to mend. */
export const problem = finding('problem')

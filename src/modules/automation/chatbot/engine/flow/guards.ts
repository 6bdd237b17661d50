import type { Session } from '../model'
import type { Run } from '../run'

/** Limits of a run and of a session (automation contract 3, execution rule 4). */
const GUARDS = {
  stepsPerTurn: 100,
  stepsPerSession: 1_000,
  gotosPerTurn: 10,
  variables: 100,
  variableBytes: 64 * 1_024,
} as const

/** Returns why the run must not take another step, or `null`. */
export function stepProblem(run: Run, session: Session): string | null {
  if (run.steps >= GUARDS.stepsPerTurn) return `more than ${GUARDS.stepsPerTurn} steps in one turn`
  if (session.steps >= GUARDS.stepsPerSession)
    return `more than ${GUARDS.stepsPerSession} steps in one session`
  return run.gotos > GUARDS.gotosPerTurn
    ? `more than ${GUARDS.gotosPerTurn} changes of the flow in one turn`
    : null
}

/**
 * Sets variables of the session. `models` names those whose text AI wrote, each with its model.
 * Returns why they are too many or too large, or `null`.
 */
export function setVariables(
  session: Session,
  values: Record<string, unknown>,
  models: Readonly<Record<string, string>> = {},
): string | null {
  const next = { ...session.variables, ...values }
  if (Object.keys(next).length > GUARDS.variables) return `more than ${GUARDS.variables} variables`
  if (Buffer.byteLength(JSON.stringify(next)) > GUARDS.variableBytes)
    return `variables of more than ${GUARDS.variableBytes / 1_024} KiB`
  session.variables = next
  const others = Object.entries(session.state.aiVariables).filter(([name]) => !(name in values))
  session.state.aiVariables = { ...Object.fromEntries(others), ...models }
  return null
}

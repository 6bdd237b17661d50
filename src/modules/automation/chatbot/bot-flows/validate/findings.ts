import { fieldSentence, InvalidError, type FieldProblem } from '../../../../../lib/errors'

/**
 * A problem of a graph. `draft` problems are refused in drafts too: a URL that this server does not
 * call, a graph that is too large, and `***` where no value is stored.
 */
export interface Finding extends FieldProblem {
  severity: 'graph' | 'url' | 'draft'
}

/** Collects the problems of a graph, each path once. */
export class Findings {
  private readonly byPath = new Map<string, Finding>()

  add(path: string, message: string, severity: Finding['severity'] = 'graph'): void {
    if (!this.byPath.has(path)) this.byPath.set(path, { path, message, severity })
  }

  get all(): Finding[] {
    return [...this.byPath.values()]
  }
}

/** Problems that an answer lists. */
const MAX_SHOWN = 100

/** Returns problems as an answer shows them. */
export const shown = (findings: readonly Finding[]): FieldProblem[] =>
  findings.slice(0, MAX_SHOWN).map(({ path, message }) => ({ path, message }))

/**
 * Throws InvalidError with all problems: `url_refused` if every one of them is a URL that this
 * server does not call, otherwise `graph_invalid`.
 */
export function throwFindings(findings: readonly Finding[]): void {
  const [first] = findings
  if (!first) return
  throw new InvalidError(fieldSentence(first.path, first.message), {
    code: findings.every(({ severity }) => severity === 'url') ? 'url_refused' : 'graph_invalid',
    errors: shown(findings),
  })
}

import type { Template, Token, Value } from 'liquidjs'

import { patternProblem } from './patterns'

/** A part of a compiled template: a tag or text, an expression, or a token of one. */
type Part = Template | Value | Token

/** The name that the library gives to the function that escapes every output. */
const ESCAPE = '[object Function]'
/** Levels of tags, parentheses and brackets. */
const MAX_DEPTH = 30

const isExpression = (
  part: object,
): part is { initial: { postfix: Token[] }; filters: unknown[] } =>
  'initial' in part && 'filters' in part

const isOperator = (token: Token): token is Token & { operator: string } => 'operator' in token

/**
 * Requires what the library does not check: no operand or operator is missing, every filter exists,
 * and nothing is nested too deeply. Throws an error whose message names the problem.
 */
export function requireWellFormed(
  parts: Iterable<Part>,
  filters: Record<string, unknown>,
  depth = 0,
): void {
  if (depth > MAX_DEPTH) throw new Error(`nested more than ${MAX_DEPTH} levels deep`)
  for (const part of parts) {
    if (isExpression(part)) {
      requireOperands(part.initial.postfix)
      for (const { name, args } of part.filters as { name: string; args: unknown[] }[]) {
        if (name !== ESCAPE && !Object.hasOwn(filters, name))
          throw new Error(`undefined filter: ${name}`)
        if (name === 'matches') requirePattern(args[0])
        requireWellFormed(args.flat().filter(isToken), filters, depth + 1)
      }
      requireWellFormed(part.initial.postfix, filters, depth + 1)
    }
    if ('props' in part)
      requireWellFormed(
        [part.props, 'variable' in part ? part.variable : []].flat().filter(isToken),
        filters,
        depth + 1,
      )
    if ('lhs' in part && 'rhs' in part)
      requireWellFormed([part.lhs, part.rhs].filter(isToken), filters, depth + 1)
    if ('arguments' in part && part.arguments)
      requireWellFormed([...part.arguments()].filter(isToken), filters, depth + 1)
    if ('children' in part && part.children)
      requireWellFormed(childrenOf(part.children(false, true)), filters, depth + 1)
  }
}

const isToken = (value: unknown): value is Token => typeof value === 'object' && value !== null

/** Returns the templates that a generator of the library answers at its end. */
function childrenOf(generator: Generator<unknown, Template[]>): Template[] {
  for (;;) {
    const state = generator.next()
    if (state.done === true) return state.value
  }
}

/** Requires one value for every place of an operator. */
function requireOperands(postfix: readonly Token[]): void {
  let values = 0
  for (const [index, token] of postfix.entries()) {
    if (isOperator(token) && token.operator === 'matches') requirePattern(postfix[index - 1])
    if (!isOperator(token)) values++
    else if (token.operator !== 'not') values--
    if (values < 1) throw new Error('a value is missing beside an operator')
  }
  if (values !== 1) throw new Error('an operator is missing between two values')
}

/** Requires that a regular expression that is written out compiles. */
function requirePattern(token: unknown): void {
  if (!isToken(token) || !('content' in token) || typeof token.content !== 'string') return
  const problem = patternProblem(token.content)
  if (problem !== null) throw new Error(`the regular expression ${problem}`)
}

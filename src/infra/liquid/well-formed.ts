import type { Template, Token, Value } from 'liquidjs'

import { patternProblem } from './patterns'

/** A part of a compiled template: a tag or text, an expression, or a token of one. */
type Part = Template | Value | Token

/** The name that the library gives to the function that escapes every output. */
const ESCAPE = '[object Function]'
/** Levels of tags, parentheses and brackets. */
const MAX_DEPTH = 30

/** Regular expressions that are written out in one template. */
const MAX_PATTERNS = 10

interface ExpressionPart {
  initial: { postfix: Token[] }
  filters: { name: string; args: unknown[] }[]
}

const isExpression = (part: object): part is ExpressionPart =>
  'initial' in part && 'filters' in part

const isOperator = (token: Token): token is Token & { operator: string } => 'operator' in token

/**
 * Requires what the library does not check: no operand or operator is missing, every filter exists,
 * regular expressions compile, and nothing is nested too deeply. Throws an error whose message names
 * the problem.
 */
export const requireWellFormed = (parts: Iterable<Part>, filters: Record<string, unknown>): void =>
  new Check(filters).parts(parts, 0)

class Check {
  private readonly patterns = new Set<string>()

  constructor(private readonly filters: Record<string, unknown>) {}

  parts(parts: Iterable<Part>, depth: number): void {
    if (depth > MAX_DEPTH) throw new Error(`nested more than ${MAX_DEPTH} levels deep`)
    for (const part of parts) this.part(part, depth + 1)
  }

  private part(part: Part, depth: number): void {
    if (isExpression(part)) this.expression(part, depth)
    if ('props' in part)
      this.tokens([part.props, 'variable' in part ? part.variable : []].flat(), depth)
    if ('lhs' in part && 'rhs' in part) this.tokens([part.lhs, part.rhs], depth)
    if ('arguments' in part && part.arguments) this.tokens([...part.arguments()], depth)
    if ('children' in part && part.children)
      this.parts(childrenOf(part.children(false, true)), depth)
  }

  private tokens(values: unknown[], depth: number): void {
    this.parts(values.filter(isToken), depth)
  }

  private expression({ initial, filters }: ExpressionPart, depth: number): void {
    requireOperands(initial.postfix)
    for (const [index, token] of initial.postfix.entries())
      if (isOperator(token) && token.operator === 'matches')
        this.pattern(initial.postfix[index - 1])
    for (const { name, args } of filters) {
      if (name !== ESCAPE && !Object.hasOwn(this.filters, name))
        throw new Error(`unknown filter: ${name}`)
      if (name === 'matches') this.pattern(args[0])
      if (name === 'money' && args.length === 0)
        throw new Error('`money` needs a currency, such as `money: "EUR"`')
      this.tokens(args.flat(), depth)
    }
    this.parts(initial.postfix, depth)
  }

  /** Requires that a regular expression that is written out compiles. */
  private pattern(token: unknown): void {
    if (!isToken(token) || !('content' in token) || typeof token.content !== 'string') return
    if (this.patterns.has(token.content)) return
    this.patterns.add(token.content)
    if (this.patterns.size > MAX_PATTERNS)
      throw new Error(`more than ${MAX_PATTERNS} regular expressions`)
    const problem = patternProblem(token.content)
    if (problem !== null) throw new Error(`the regular expression ${problem}`)
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
  for (const token of postfix) {
    if (!isOperator(token)) values++
    else if (token.operator !== 'not') values--
    if (values < 1) throw new Error('a value is missing beside an operator')
  }
  if (values !== 1) throw new Error('an operator is missing between two values')
}

/**
 * The Liquid library, reduced to the tags, filters and operators that we allow, with every
 * evaluation counted. Loaded when the first template is used (`liquid.ts`).
 */
import {
  CaseTag,
  Context,
  Drop,
  evalToken,
  ForTag,
  IfTag,
  Liquid,
  LiquidError,
  Tokenizer,
  UnlessTag,
  Value,
  type Emitter,
  type Template,
} from 'liquidjs'

import { lengthOf } from '../../lib/input-problems'
import { LIQUID_LIMITS, TemplateError, type Budget } from './budget'
import { escapeFor, requireFits, requireLength, type EscapePlace } from './escape'
import { FILTERS } from './filters'
import { LIST_FILTERS } from './list-filters'
import { COMPARISONS, equal, isBlankValue, isEmptyValue, isTrue } from './operators'
import { ReadyText } from './values'
import { requireWellFormed } from './well-formed'

export type CompiledTemplate = Template[]
export type CompiledExpression = Value

/** Returns the value of a literal word. */
const literal = (word: string): unknown =>
  (new Tokenizer(word).readValue() as { content?: unknown } | undefined)?.content
const EMPTY = literal('empty')
const BLANK = literal('blank')

/** Returns a value without the library's objects. */
const valueOf = (value: unknown): unknown => (value instanceof Drop ? value.valueOf() : value)

/** Reports whether two values are equal, `empty` and `blank` included. */
function equals(left: unknown, right: unknown, ctx: Context): boolean {
  const budget = budgetOf(ctx)
  for (const [one, other] of [
    [left, right],
    [right, left],
  ]) {
    if (one === EMPTY) return isEmptyValue(other)
    if (one === BLANK) return isBlankValue(other, budget)
  }
  return equal(valueOf(left), valueOf(right), budget)
}

const operators = {
  ...Object.fromEntries(
    Object.entries(COMPARISONS).map(([name, compare]) => [
      name,
      (left: unknown, right: unknown, ctx: Context) =>
        compare(valueOf(left), valueOf(right), budgetOf(ctx)),
    ]),
  ),
  '==': equals,
  '!=': (left: unknown, right: unknown, ctx: Context) => !equals(left, right, ctx),
  not: (value: unknown) => !isTrue(valueOf(value)),
}

const hasOwn = (value: unknown, key: PropertyKey): value is Record<PropertyKey, unknown> =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)

/** One render: its data, of which only own properties are read, its place and its budget. */
class RenderContext extends Context {
  constructor(
    data: Record<string, unknown>,
    readonly place: EscapePlace,
    readonly budget: Budget,
  ) {
    super(data, library.options, { sync: true }, { liquid: library })
  }

  override readProperty(value: unknown, key: unknown): unknown {
    const name = valueOf(key)
    if (typeof name !== 'string' && typeof name !== 'number') return undefined
    if (value instanceof Drop || value instanceof ReadyText) return undefined
    if (Array.isArray(value)) return elementOf(value, name)
    if (typeof value === 'string') return name === 'size' ? value.length : undefined
    if (hasOwn(value, name)) return value[name]
    return name === 'size' && typeof value === 'object' && value !== null
      ? Object.keys(value).length
      : undefined
  }
}

function renderOf(ctx: Context): RenderContext {
  if (ctx instanceof RenderContext) return ctx
  throw new Error('the library made a context of its own')
}

const budgetOf = (ctx: Context): Budget => renderOf(ctx).budget

function elementOf(list: unknown[], name: string | number): unknown {
  if (name === 'size') return list.length
  if (name === 'first') return list[0]
  if (name === 'last') return list.at(-1)
  return typeof name === 'number' ? list.at(Math.trunc(name)) : undefined
}

/** A `case` that compares as expressions do. */
class CountedCase extends CaseTag {
  override *render(ctx: Context, emitter: Emitter): Generator<unknown, void, unknown> {
    const target = yield this.value.value(ctx)
    for (const { values, templates } of this.branches)
      for (const token of values)
        if (equals(target, yield evalToken(token, ctx), ctx))
          return void (yield this.liquid.renderer.renderTemplates(templates, ctx, emitter))
    yield this.liquid.renderer.renderTemplates(this.elseTemplates, ctx, emitter)
  }
}

/** A `for` whose rounds are counted over the whole template. */
class CountedFor extends ForTag {
  override *render(ctx: Context, emitter: Emitter): Generator<unknown, void, never> {
    const budget = budgetOf(ctx)
    const list = listOf(valueOf(yield evalToken(this.collection, ctx)), budget)
    const chosen = this.choose(list, (yield this.hash.render(ctx)) as Record<string, unknown>)
    if (chosen.length === 0)
      return void (yield this.liquid.renderer.renderTemplates(
        this.elseTemplates ?? [],
        ctx,
        emitter,
      ))
    for (const [index, item] of chosen.entries()) {
      budget.round()
      const { length } = chosen
      ctx.push({
        __proto__: null,
        [this.variable]: item,
        forloop: {
          index: index + 1,
          index0: index,
          rindex: length - index,
          rindex0: length - index - 1,
          first: index === 0,
          last: index === length - 1,
          length,
        },
      })
      yield this.liquid.renderer.renderTemplates(this.templates, ctx, emitter)
      ctx.pop()
    }
  }

  /** Returns the elements that `offset`, `limit` and `reversed` leave. */
  private choose(list: unknown[], hash: Record<string, unknown>): unknown[] {
    const count = (value: unknown, otherwise: number): number =>
      typeof value === 'number' ? Math.max(0, Math.trunc(value)) : otherwise
    const from = count(hash.offset, 0)
    const chosen = list.slice(from, from + count(hash.limit, list.length))
    return hash.reversed === undefined ? chosen : chosen.toReversed()
  }
}

/** Returns the elements to loop over: of a list, or the pairs of an object. */
function listOf(value: unknown, budget: Budget): unknown[] {
  if (Array.isArray(value)) return value
  if (typeof value !== 'object' || value === null || value instanceof ReadyText) return []
  const pairs = Object.entries(value)
  budget.list(pairs.length)
  return pairs
}

function createLibrary(): Liquid {
  const library = new Liquid({
    operators: operators as NonNullable<ConstructorParameters<typeof Liquid>[0]>['operators'] & {},
    ownPropertyOnly: true,
    strictFilters: true,
    groupedExpressions: true,
    // Only ranges are counted by it: they would be lists of any length.
    memoryLimit: LIQUID_LIMITS.list,
    // In UTF-16 units; characters are counted before.
    parseLimit: 2 * LIQUID_LIMITS.template,
    templates: {},
    outputEscape(this: { context: Context } | void, value: unknown) {
      const { place, budget } = renderOf((this as { context: Context }).context)
      return escapeFor(place, valueOf(value), budget)
    },
  })
  for (const name of Object.keys(library.tags)) delete library.tags[name]
  for (const name of Object.keys(library.filters)) delete library.filters[name]
  library.registerTag('if', IfTag)
  library.registerTag('unless', UnlessTag)
  library.registerTag('case', CountedCase)
  library.registerTag('for', CountedFor)
  for (const [name, filter] of Object.entries({ ...FILTERS, ...LIST_FILTERS }))
    library.registerFilter(name, function (value: unknown, ...args: unknown[]) {
      return filter(
        valueOf(value),
        args.map((arg) => (Array.isArray(arg) ? arg.map(valueOf) : valueOf(arg))),
        budgetOf(this.context),
      )
    })
  return library
}

const library = createLibrary()

/** Compiles a template. Throws an error whose message names the problem. */
function compileTemplate(source: string): CompiledTemplate {
  const compiled = library.parse(source)
  requireWellFormed(compiled, library.filters)
  return compiled
}

/** Compiles an expression. Throws an error whose message names the problem. */
function compileExpression(source: string): CompiledExpression {
  const tokenizer = new Tokenizer(source, library.options.operators, undefined, undefined, true)
  const token = tokenizer.readFilteredValue()
  tokenizer.skipBlank()
  if (!tokenizer.end()) throw new Error(`unexpected ${tokenizer.snapshot()}`)
  const value = new Value(token, library)
  requireWellFormed([value], library.filters)
  return value
}

/** Renders a template. Throws TemplateError. */
function render(
  template: CompiledTemplate,
  data: Record<string, unknown>,
  place: EscapePlace,
  budget: Budget,
): string {
  const emitter = {
    buffer: '',
    characters: 0,
    write(text: string) {
      this.buffer += text
      this.characters += lengthOf(text)
      requireLength(this.characters)
    },
  }
  run(budget, () =>
    library.renderer.renderTemplates(template, new RenderContext(data, place, budget), emitter),
  )
  requireFits(place, emitter.buffer)
  return emitter.buffer
}

/** Returns whether an expression is true. Throws TemplateError. */
const evaluate = (
  expression: CompiledExpression,
  data: Record<string, unknown>,
  budget: Budget,
): boolean =>
  isTrue(valueOf(run(budget, () => expression.value(new RenderContext(data, 'text', budget)))))

function run(budget: Budget, begin: () => Iterator<unknown>): unknown {
  try {
    return drive(begin(), budget)
  } catch (error) {
    if (budget.failure) throw budget.failure
    const cause = causeOf(error)
    if (cause instanceof TemplateError) throw cause
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : 'unknown'
    throw new TemplateError('template_budget', `The template is stopped: ${reason}.`)
  }
}

/** Returns the error that the library wrapped in its own. */
const causeOf = (error: unknown): unknown =>
  error instanceof LiquidError ? causeOf(error.originalError) : error

const isIterator = (value: unknown): value is Iterator<unknown> =>
  typeof value === 'object' && value !== null && 'next' in value && typeof value.next === 'function'

/** Runs the library's generators, which yield at every part that they evaluate. */
function drive(first: Iterator<unknown>, budget: Budget): unknown {
  const stack = [first]
  let value: unknown
  let isThrown = false
  for (;;) {
    budget.step()
    const top = stack.at(-1)
    if (!top) return value
    try {
      const state = isThrown ? (top.throw?.(value) ?? { done: true, value }) : top.next(value)
      isThrown = false
      value = state.value
      if (state.done === true) stack.pop()
      if (isIterator(value)) {
        stack.push(value)
        value = undefined
      }
    } catch (error) {
      stack.pop()
      if (stack.length === 0) throw error
      isThrown = true
      value = error
    }
  }
}

/** The library, ready to compile and run what users wrote. */
export const sandbox = { compileTemplate, compileExpression, render, evaluate }

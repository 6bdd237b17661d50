import { lengthOf } from '../../lib/input-problems'
import { Budget, LIQUID_LIMITS, TemplateError, type TemplateProblem } from './budget'
import { CompiledCache } from './compiled-cache'
import { requireFits, type EscapePlace } from './escape'
import { Locales } from './locale'
import { PatternCache } from './patterns'
import type { CompiledExpression, CompiledTemplate, sandbox } from './sandbox'

declare module '../ctx' {
  interface Deps {
    /** Renders templates and evaluates expressions of users. */
    liquid: LiquidTemplates
  }
}

/** The data of a template. */
export interface TemplateData {
  /** JSON values by name. */
  values: Record<string, unknown>
  /** IANA time zone of dates. */
  timezone: string
  /** Language of numbers and of names of days and months (BCP 47); `null` = English. */
  language: string | null
}

/** A rendered template, or the reason why there is none. `notes` are facts for the trace. */
export type RenderedText =
  | { ok: true; text: string; notes: string[] }
  | { ok: false; problem: TemplateProblem; message: string; notes: string[] }

/** The value of an expression. `notes` are facts for the trace. */
export interface Evaluated {
  value: boolean
  notes: string[]
}

type Sandbox = typeof sandbox

/**
 * Renders Liquid templates and evaluates Liquid conditions that users wrote. They see the data that
 * they are given and nothing else, and their work is bounded. The library is loaded with the first
 * template that has a placeholder.
 */
export class LiquidTemplates {
  private sandbox: Sandbox | null = null
  private readonly templates = new CompiledCache<CompiledTemplate>()
  private readonly expressions = new CompiledCache<CompiledExpression>()
  private readonly patterns = new PatternCache()
  private readonly locales = new Locales()

  /**
   * Renders a template for its place: values are percent-encoded in a URL and escaped in JSON; line
   * breaks are refused in a header. Never throws: a template that cannot be rendered gives a problem.
   */
  renderTemplate(source: string, data: TemplateData, place: EscapePlace): RenderedText {
    const budget = this.budget(data)
    try {
      const text = isPlain(source)
        ? plainText(source, place)
        : this.load().render(this.template(source), plainData(data.values), place, budget)
      return { ok: true, text, notes: [...budget.notes] }
    } catch (error) {
      const { problem, message } = templateError(error)
      return { ok: false, problem, message, notes: [...budget.notes] }
    }
  }

  /** Evaluates a condition. Anything that goes wrong is false, with a note. */
  evaluateCondition(source: string, data: TemplateData): Evaluated {
    const budget = this.budget(data)
    try {
      const { evaluate } = this.load()
      const value = evaluate(this.expression(source), plainData(data.values), budget)
      return { value, notes: [...budget.notes] }
    } catch (error) {
      return { value: false, notes: [...budget.notes, templateError(error).message] }
    }
  }

  /** Returns what is wrong with a template, or `null`. */
  templateProblem(source: string): string | null {
    return isPlain(source) ? null : problemOf(() => this.template(source))
  }

  /** Returns what is wrong with an expression, or `null`. */
  expressionProblem(source: string): string | null {
    return problemOf(() => this.expression(source))
  }

  /** Reports whether a text matches a regular expression in RE2 syntax anywhere. */
  matches(pattern: string, text: string): boolean {
    const regex = this.patterns.get(pattern)
    return regex !== null && regex.find(text) !== null
  }

  /** Returns what is wrong with a regular expression, or `null`. */
  patternProblem(pattern: string): string | null {
    return this.patterns.problem(pattern)
  }

  private budget({ timezone, language }: TemplateData): Budget {
    return new Budget({ timezone, locale: this.locales.of(language) }, this.patterns)
  }

  private template(source: string): CompiledTemplate {
    return this.templates.get(source, (text) => compileOrThrow(text, this.load().compileTemplate))
  }

  private expression(source: string): CompiledExpression {
    return this.expressions.get(source, (text) =>
      compileOrThrow(text, this.load().compileExpression),
    )
  }

  /** Loads the library. Synchronously, because templates are rendered inside transactions. */
  private load(): Sandbox {
    this.sandbox ??= (require('./sandbox') as { sandbox: Sandbox }).sandbox
    return this.sandbox
  }
}

/** Reports whether a template has no placeholders, as most texts have none. */
export const isPlain = (source: string): boolean => !isTooLong(source) && !/\{[{%]/.test(source)

const isTooLong = (source: string): boolean =>
  source.length > LIQUID_LIMITS.template && lengthOf(source) > LIQUID_LIMITS.template

function plainText(source: string, place: EscapePlace): string {
  requireFits(place, source)
  return source
}

function compileOrThrow<T>(source: string, compile: (source: string) => T): T {
  if (isTooLong(source))
    throw new TemplateError(
      'template_invalid',
      `The template is longer than ${LIQUID_LIMITS.template} characters.`,
    )
  try {
    return compile(source)
  } catch (error) {
    const reason = error instanceof RangeError ? 'nested too deeply' : reasonOf(error)
    throw new TemplateError('template_invalid', `The template is invalid: ${reason}.`)
  }
}

/** Returns a copy of the data that consists of JSON values only. Throws TemplateError. */
function plainData(values: Record<string, unknown>): Record<string, unknown> {
  const json = JSON.stringify(values)
  if (Buffer.byteLength(json) > LIQUID_LIMITS.data)
    throw new TemplateError('data_too_large', 'The variables are larger than 64 KiB together.')
  return JSON.parse(json) as Record<string, unknown>
}

function problemOf(compile: () => unknown): string | null {
  try {
    compile()
    return null
  } catch (error) {
    return templateError(error).message
  }
}

/** Returns the first line of a message of the library, with the line of the template in words. */
const reasonOf = (error: unknown): string =>
  (error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : 'unknown')
    .replace(/^undefined filter/, 'unknown filter')
    .replace(/, line:1, col:\d+$/, '')
    .replace(/, line:(\d+), col:\d+$/, ' in line $1')

/** Turns a sentence about a template into the end of one about a field. */
export const asRule = (problem: string): string => {
  const [, rule = problem] = /^The template (.*?)\.?$/s.exec(problem) ?? []
  return rule
}

function templateError(error: unknown): TemplateError {
  if (error instanceof TemplateError) return error
  throw error
}

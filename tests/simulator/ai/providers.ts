/** The simulated providers. `compatible` is a server of somebody else with OpenAI's API. */
export type ProviderName = 'openai' | 'compatible' | 'anthropic' | 'google'

/** A request as a provider understood it. */
export interface Asked {
  model: string
  system: string
  user: string
  maxTokens: number
  temperature: number | null
}

/** An error as the provider documents it. */
export class ProviderError extends Error {
  constructor(
    readonly status: number,
    readonly type: string,
    message: string,
  ) {
    super(message)
  }
}

/** What a provider sends for an answer. */
export interface Answered {
  model: string
  text: string
  inputTokens: number
  outputTokens: number
}

/** The documented API of a provider: its path, credential, request, answer and errors. */
export interface Provider {
  /** Returns the model if the path is one of the provider; it is in the body otherwise. */
  matches: (path: string) => { model: string | null } | null
  /** Returns the key that a request carries; `null` if it is not where it belongs. */
  keyOf: (headers: Headers) => string | null
  read: (body: Record<string, unknown>, model: string | null) => Asked
  answer: (answered: Answered) => unknown
  error: (error: ProviderError) => unknown
}

const invalid = (message: string): ProviderError =>
  new ProviderError(400, 'invalid_request_error', message)

function only(body: Record<string, unknown>, known: readonly string[], at = 'body'): void {
  const unknown = Object.keys(body).find((name) => !known.includes(name))
  if (unknown !== undefined) throw invalid(`${at}: Unrecognized request argument: ${unknown}`)
}

const text = (value: unknown, at: string): string => {
  if (typeof value !== 'string' || value === '') throw invalid(`${at}: must be a text`)
  return value
}

const within = (value: unknown, [min, max]: [number, number], at: string): number => {
  if (typeof value !== 'number' || value < min || value > max)
    throw invalid(`${at}: must be from ${min} to ${max}`)
  return value
}

const list = (value: unknown, at: string): Record<string, unknown>[] => {
  if (!Array.isArray(value) || value.length === 0) throw invalid(`${at}: must be a list`)
  return value as Record<string, unknown>[]
}

/** Returns the text of a message: a text, or blocks of type text. */
const contentText = (value: unknown, at: string): string =>
  typeof value === 'string'
    ? text(value, at)
    : list(value, at)
        .map((part) => {
          only(part, ['type', 'text'], at)
          if (part['type'] !== 'text') throw invalid(`${at}: unsupported part`)
          return text(part['text'], at)
        })
        .join('')

/** Reasoning models of OpenAI count the answer's tokens in a field of their own. */
const isReasoning = (model: unknown): boolean => /^(?:o\d|gpt-5)/.test(String(model))

/** Chat completions. Servers other than OpenAI's own refuse fields that they do not know. */
const chatCompletions = (root: string, own: readonly string[]): Provider => ({
  matches: (path) => (path === `${root}/chat/completions` ? { model: null } : null),
  keyOf: (headers) => /^Bearer (\S+)$/.exec(headers.get('authorization') ?? '')?.[1] ?? null,
  read(body) {
    only(body, ['model', 'messages', 'max_tokens', 'temperature', ...own])
    const messages = list(body['messages'], 'messages')
    const ofRole = (role: string): string =>
      messages
        .filter((message) => message['role'] === role)
        .map((message) => contentText(message['content'], 'messages'))
        .join('\n')
    const roles = ['user', 'assistant', 'system', ...(own.length > 0 ? ['developer'] : [])]
    if (messages.some(({ role }) => !roles.includes(String(role))))
      throw invalid('messages: unknown role')
    if (isReasoning(body['model']) && ('max_tokens' in body || 'temperature' in body))
      throw invalid('max_tokens: unsupported parameter, use max_completion_tokens')
    return {
      model: text(body['model'], 'model'),
      system: ofRole('system') + ofRole('developer'),
      user: ofRole('user'),
      maxTokens: within(
        body['max_tokens'] ?? body['max_completion_tokens'],
        [1, 128_000],
        'max_tokens',
      ),
      temperature:
        body['temperature'] === undefined
          ? null
          : within(body['temperature'], [0, 2], 'temperature'),
    }
  },
  answer: ({ model, text: content, inputTokens, outputTokens }) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_763_700_000,
    model,
    choices: [
      { index: 0, message: { role: 'assistant', content, refusal: null }, finish_reason: 'stop' },
    ],
    usage: {
      prompt_tokens: inputTokens,
      completion_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
    },
  }),
  error: ({ type, message }) => ({ error: { message, type, param: null, code: null } }),
})

const anthropic: Provider = {
  matches: (path) => (path === '/anthropic/v1/messages' ? { model: null } : null),
  keyOf: (headers) =>
    headers.get('anthropic-version') === '2023-06-01' ? headers.get('x-api-key') : null,
  read(body) {
    only(body, ['model', 'messages', 'system', 'max_tokens', 'temperature'])
    const messages = list(body['messages'], 'messages')
    if (messages[0]?.['role'] !== 'user')
      throw invalid('messages: first message must use the "user" role')
    return {
      model: text(body['model'], 'model'),
      system: body['system'] === undefined ? '' : contentText(body['system'], 'system'),
      user: messages.map(({ content }) => contentText(content, 'messages')).join('\n'),
      maxTokens: within(body['max_tokens'], [1, 64_000], 'max_tokens'),
      temperature:
        body['temperature'] === undefined
          ? null
          : within(body['temperature'], [0, 1], 'temperature'),
    }
  },
  answer: ({ model, text: content, inputTokens, outputTokens }) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text: content }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: inputTokens, output_tokens: outputTokens },
  }),
  error: ({ type, message }) => ({ type: 'error', error: { type, message } }),
}

const GOOGLE = /^\/google\/v1beta\/models\/([\w.-]+):generateContent$/

const google: Provider = {
  matches(path) {
    const model = GOOGLE.exec(path)?.[1]
    return model === undefined ? null : { model }
  },
  keyOf: (headers) => headers.get('x-goog-api-key'),
  read(body, model) {
    only(body, ['contents', 'systemInstruction', 'generationConfig'])
    const partsText = (content: unknown): string =>
      list((content as Record<string, unknown>)['parts'], 'parts')
        .map((part) => {
          only(part, ['text'], 'parts')
          return text(part['text'], 'parts')
        })
        .join('')
    const config = (body['generationConfig'] ?? {}) as Record<string, unknown>
    only(config, ['maxOutputTokens', 'temperature'], 'generationConfig')
    return {
      model: model ?? '',
      system: body['systemInstruction'] === undefined ? '' : partsText(body['systemInstruction']),
      user: list(body['contents'], 'contents').map(partsText).join('\n'),
      maxTokens: within(config['maxOutputTokens'], [1, 65_536], 'maxOutputTokens'),
      temperature:
        config['temperature'] === undefined
          ? null
          : within(config['temperature'], [0, 2], 'temperature'),
    }
  },
  answer: ({ text: content, inputTokens, outputTokens }) => ({
    candidates: [
      { content: { parts: [{ text: content }], role: 'model' }, finishReason: 'STOP', index: 0 },
    ],
    usageMetadata: {
      promptTokenCount: inputTokens,
      candidatesTokenCount: outputTokens,
      totalTokenCount: inputTokens + outputTokens,
    },
  }),
  error: ({ status, type, message }) => ({
    error: { code: status, message, status: type.toUpperCase() },
  }),
}

/** The simulated providers by name. */
export const PROVIDERS: Readonly<Record<ProviderName, Provider>> = {
  openai: chatCompletions('/openai/v1', ['store', 'max_completion_tokens']),
  compatible: chatCompletions('/compatible/v1', []),
  anthropic,
  google,
}

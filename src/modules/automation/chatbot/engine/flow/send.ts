import type { NewMessage } from '../../../../inbox/messages/compose/model'
import { choicesIn, choicesOf, waits, type GraphNode, type NodeOf } from '../../bot-flows/graph'
import { buttonsMessage, mediaMessage, textMessage } from '../drafts'
import type { TraceRow } from '../model'
import { render, renderAll, renderText } from '../render'
import { write, type Run } from '../run'
import type { NodeResult } from './node-result'

/** A node that sends a message. */
export type SendingNode = Extract<
  GraphNode,
  {
    type: 'message' | 'media' | 'template' | 'buttons' | 'prompt' | 'whatsapp_flow' | 'interactive'
  }
>

export type Built = { input: NewMessage } | { problem: string } | { url: string; kind: string }

/**
 * Writes the message of a node, and waits if it asks something. A message that would be refused is
 * the outcome `error`. `fetchedId` is the file that the node names by URL.
 */
export function sendNode(
  run: Run,
  node: SendingNode,
  row: TraceRow,
  fetchedId?: string,
): NodeResult {
  const built = messageOf(run, node, fetchedId)
  if ('problem' in built) return { kind: 'next', outcome: 'error', error: built.problem }
  if ('url' in built)
    return { kind: 'call', call: 'file', subject: { url: built.url, kind: built.kind } }
  const refusal = run.ports.refusalOf(built.input)
  if (refusal !== null) return { kind: 'next', outcome: 'error', error: refusal }
  write(run, built.input, row)
  run.isAnswered = true
  keepChoices(run, node, built.input)
  if (!waits(node)) return { kind: 'next', outcome: 'default' }
  return { kind: 'wait', for: node.type === 'whatsapp_flow' ? 'form' : 'reply' }
}

/** Keeps the titles that the customer sees, if they are not those of the node. */
export function keepChoices(
  { session }: Pick<Run, 'session'>,
  node: GraphNode,
  { interactive }: NewMessage,
): void {
  if (!session) return
  const own = choicesOf(node)
  const shown = choicesIn(interactive ?? {})
  const isOwn = own.every(({ title }, index) => title === shown[index]?.title)
  session.state.choices = isOwn ? null : shown
}

function messageOf(run: Run, node: SendingNode, fetchedId: string | undefined): Built {
  switch (node.type) {
    case 'message':
      return textOf(run, node.config.message)
    case 'prompt':
      return textOf(run, node.config.body)
    case 'media':
      return mediaOf(run, node, fetchedId)
    case 'template': {
      const params = renderAll(run, node.config.params)
      if ('problem' in params) return params
      return {
        input: {
          type: 'template',
          template_id: node.config.template_id,
          template_params: params.value as Record<string, string>,
        },
      }
    }
    case 'buttons':
      return buttonsOf(run, node, renderText(run, node.config.body))
    case 'whatsapp_flow':
      return formOf(run, node)
    case 'interactive':
      return interactiveOf(run, node, null)
  }
}

function textOf(run: Run, template: string): Built {
  const rendered = render(run, template)
  if (!rendered.ok) return { problem: rendered.problem }
  return rendered.text.trim() === ''
    ? { problem: 'empty_text' }
    : { input: textMessage(rendered.text) }
}

/** Returns the buttons of a node below a text: its own, or the one after an answer that did not fit. */
export function buttonsOf(run: Run, { config }: NodeOf<'buttons'>, body: string | null): Built {
  if (body === null) return { problem: 'empty_text' }
  const buttons = renderAll(run, config.buttons)
  if ('problem' in buttons) return buttons
  return {
    input: buttonsMessage({
      body,
      buttons: buttons.value as typeof config.buttons,
      header: renderText(run, config.header),
      footer: renderText(run, config.footer),
    }),
  }
}

/** Returns the interactive message of a node, with its own text or another one. */
export function interactiveOf(
  run: Run,
  { config }: NodeOf<'interactive'>,
  body: string | null,
): Built {
  const rendered = renderAll(run, config.interactive)
  if ('problem' in rendered) return rendered
  const interactive = rendered.value as NonNullable<NewMessage['interactive']>
  return {
    input: {
      type: 'interactive',
      interactive: body === null ? interactive : { ...interactive, body },
    },
  }
}

function mediaOf(run: Run, { config }: NodeOf<'media'>, fetchedId: string | undefined): Built {
  const mediaId = fetchedId ?? config.media_id
  if (mediaId != null)
    return {
      input: mediaMessage({
        kind: config.kind,
        mediaId,
        caption: renderText(run, config.caption),
        filename: config.filename,
      }),
    }
  const url = render(run, config.url ?? '', 'url')
  return url.ok ? { url: url.text, kind: config.kind } : { problem: url.problem }
}

function formOf(run: Run, { config }: NodeOf<'whatsapp_flow'>): Built {
  const [body, header, footer] = [config.body, config.header, config.footer].map((text) =>
    renderText(run, text),
  )
  if (body == null) return { problem: 'empty_text' }
  return {
    input: {
      type: 'interactive',
      interactive: {
        type: 'flow',
        body,
        ...(header == null ? {} : { header }),
        ...(footer == null ? {} : { footer }),
        button_text: config.cta,
        flow_id: config.flow_id,
      },
    },
  }
}

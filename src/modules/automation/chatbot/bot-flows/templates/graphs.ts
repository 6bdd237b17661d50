import type { NodeConfig, NodeType } from '../node-config'
import type { TemplateTexts } from './text-types'

/** A graph as a person would write it: defaults are left out. */
interface WrittenGraph {
  version: 2
  entry_node: string
  nodes: {
    id: string
    type: NodeType
    position: { x: number; y: number }
    config: Record<string, unknown>
  }[]
  edges: { from: string; to: string; condition: string }[]
}

type Written<T extends NodeType> = Partial<NodeConfig<T>>

/** Builds a graph: nodes stand below each other in the order they are added. */
class Draft {
  private readonly nodes: WrittenGraph['nodes'] = []
  private readonly edges: WrittenGraph['edges'] = []

  /** Adds a node, and edges from it by outcome. */
  add<T extends NodeType>(
    id: string,
    type: T,
    config: Written<T>,
    next: Record<string, string> = {},
  ): this {
    this.nodes.push({ id, type, position: { x: 0, y: this.nodes.length * 160 }, config })
    for (const [condition, to] of Object.entries(next)) this.edges.push({ from: id, to, condition })
    return this
  }

  get graph(): WrittenGraph {
    return {
      version: 2,
      entry_node: this.nodes[0]?.id ?? '',
      nodes: this.nodes,
      edges: this.edges,
    }
  }
}

type Builder = (texts: TemplateTexts) => WrittenGraph

const welcomeMenu: Builder = ({ shared, welcome_menu: texts }) =>
  new Draft()
    .add(
      'menu',
      'buttons',
      {
        body: texts.greeting,
        buttons: [
          { id: 'hours', title: texts.hours },
          { id: 'offer', title: texts.offer },
          { id: 'person', title: texts.person },
        ],
      },
      {
        'button:hours': 'hours',
        'button:offer': 'offer',
        'button:person': 'person',
        max_retries: 'person',
      },
    )
    .add('hours', 'message', { message: texts.hoursText }, { default: 'again' })
    .add('offer', 'message', { message: texts.offerText }, { default: 'again' })
    .add(
      'again',
      'buttons',
      {
        body: texts.again,
        buttons: [
          { id: 'back', title: texts.back },
          { id: 'person', title: texts.person },
          { id: 'done', title: texts.done },
        ],
      },
      {
        'button:back': 'menu',
        'button:person': 'person',
        'button:done': 'done',
        max_retries: 'person',
      },
    )
    .add('person', 'transfer', { body: shared.handOver, team_id: 'general' })
    .add('done', 'end', {}).graph

const faqAi: Builder = ({ shared, faq_ai: texts }) =>
  new Draft()
    .add(
      'ask',
      'prompt',
      { body: texts.ask, store_as: 'question', input: 'text' },
      { default: 'answer', max_retries: 'person' },
    )
    .add(
      'answer',
      'ai_response',
      { prompt_template: texts.prompt },
      { default: 'helped', error: 'person' },
    )
    .add(
      'helped',
      'buttons',
      {
        body: texts.helped,
        buttons: [
          { id: 'yes', title: texts.yes },
          { id: 'more', title: texts.more },
          { id: 'no', title: texts.no },
        ],
      },
      {
        'button:yes': 'thanks',
        'button:more': 'ask',
        'button:no': 'person',
        max_retries: 'person',
      },
    )
    .add('thanks', 'end', { message: texts.thanks })
    .add('person', 'transfer', {
      body: shared.handOver,
      team_id: 'general',
      notes: '{{ question }}',
    }).graph

const orderStatus: Builder = ({ order_status: texts }) =>
  new Draft()
    .add(
      'ask',
      'prompt',
      {
        body: texts.ask,
        store_as: 'order_number',
        input: 'text',
        validation_regex: '^[0-9]{4,10}$',
        validation_error: texts.invalid,
      },
      { default: 'look_up', max_retries: 'person' },
    )
    .add(
      'look_up',
      'api_call',
      {
        url: 'https://shop.example.com/api/orders/{{ order_number }}',
        response_mapping: { order_status: 'status' },
      },
      { 'http:2xx': 'found', 'http:non2xx': 'person' },
    )
    .add('found', 'end', { message: texts.found })
    .add('person', 'transfer', {
      body: texts.missing,
      team_id: 'general',
      notes: '{{ order_number }}',
    }).graph

const appointment: Builder = ({ shared, appointment: texts }) =>
  new Draft()
    .add(
      'topic',
      'buttons',
      {
        body: texts.ask,
        store_as: 'topic',
        buttons: [
          { id: 'advice', title: texts.advice },
          { id: 'visit', title: texts.visit },
          { id: 'repair', title: texts.repair },
        ],
      },
      { default: 'date', max_retries: 'person' },
    )
    .add(
      'date',
      'prompt',
      { body: texts.date, store_as: 'date', input: 'date', validation_error: texts.dateInvalid },
      { default: 'time', max_retries: 'person' },
    )
    .add(
      'time',
      'prompt',
      { body: texts.time, store_as: 'time', input: 'text' },
      { default: 'note', max_retries: 'person' },
    )
    .add(
      'note',
      'prompt',
      { body: texts.note, store_as: 'note', input: 'text' },
      { default: 'confirm', max_retries: 'person' },
    )
    .add(
      'confirm',
      'buttons',
      {
        body: texts.confirm,
        buttons: [
          { id: 'yes', title: texts.yes },
          { id: 'no', title: texts.no },
        ],
      },
      { 'button:yes': 'noted', 'button:no': 'topic', max_retries: 'person' },
    )
    .add('noted', 'transfer', {
      body: texts.noted,
      team_id: 'general',
      notes: '{{ topic }}, {{ date }}, {{ time }}: {{ note }}',
    })
    .add('person', 'transfer', { body: shared.handOver, team_id: 'general' }).graph

const feedback: Builder = ({ feedback: texts }) =>
  new Draft()
    .add(
      'rate',
      'interactive',
      {
        store_as: 'rating',
        interactive: {
          type: 'list',
          body: texts.ask,
          button_text: texts.open,
          sections: [
            {
              title: texts.open,
              rows: texts.ratings.map((title, index) => ({
                id: String(5 - index),
                title,
                description: '⭐'.repeat(5 - index),
              })),
            },
          ],
        },
      },
      {
        'button:5': 'praise',
        'button:4': 'praise',
        'button:3': 'why',
        'button:2': 'why',
        'button:1': 'why',
        default: 'why',
      },
    )
    .add('praise', 'end', { message: texts.praise })
    .add(
      'why',
      'prompt',
      { body: texts.why, store_as: 'reason', input: 'any' },
      { default: 'sorry', max_retries: 'sorry' },
    )
    .add('sorry', 'end', { message: texts.sorry }).graph

const away: Builder = ({ away: texts }) =>
  new Draft()
    .add(
      'hours',
      'timing',
      { use_business_hours: true },
      { in_hours: 'person', out_of_hours: 'closed' },
    )
    .add('person', 'transfer', { body: texts.open, team_id: 'general' })
    .add('closed', 'message', { message: texts.closed }, { default: 'leave' })
    .add(
      'leave',
      'prompt',
      { body: texts.leave, store_as: 'request', input: 'any' },
      { default: 'noted', max_retries: 'noted' },
    )
    .add('noted', 'transfer', {
      body: texts.noted,
      team_id: 'general',
      notes: '{{ request }}',
    }).graph

/** The graphs of the templates by key. */
export const GRAPHS = {
  welcome_menu: welcomeMenu,
  faq_ai: faqAi,
  order_status: orderStatus,
  appointment,
  feedback,
  away,
} satisfies Record<Exclude<keyof TemplateTexts, 'shared'>, Builder>

export type TemplateKey = keyof typeof GRAPHS

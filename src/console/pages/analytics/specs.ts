import type { FigureSpec } from './figures-of'

/** The figures of messages. */
export const MESSAGE_SPECS: readonly FigureSpec[] = [
  { id: 'total_sent', text: 'analytics.figure.sent', unit: 'number', point: 'sent' },
  { id: 'total_received', text: 'analytics.figure.received', unit: 'number', point: 'received' },
  {
    ...{ id: 'total_delivered', text: 'analytics.figure.delivered', unit: 'number' },
    point: 'delivered',
  },
  { id: 'total_read', text: 'analytics.figure.read', unit: 'number', point: 'read' },
  {
    ...{ id: 'total_failed', text: 'analytics.figure.failed', unit: 'number', better: 'down' },
    point: 'failed',
  },
  {
    ...{ id: 'delivery_rate', text: 'analytics.figure.delivery-rate', unit: 'percent' },
    ...{ better: 'up', share: ['delivered', 'sent'] },
  },
  {
    ...{ id: 'read_rate', text: 'analytics.figure.read-rate', unit: 'percent' },
    ...{ better: 'up', share: ['read', 'delivered'] },
  },
  { id: 'unique_contacts', text: 'analytics.figure.customers', unit: 'number' },
]

/** The figures of the bot. */
export const BOT_SPECS: readonly FigureSpec[] = [
  {
    ...{ id: 'total_conversations', text: 'analytics.figure.sessions', unit: 'number' },
    point: 'conversations',
  },
  {
    ...{ id: 'auto_resolved', text: 'analytics.figure.resolved', unit: 'number', better: 'up' },
    point: 'auto_resolved',
  },
  {
    ...{ id: 'transferred_to_agent', text: 'analytics.figure.handed-over', unit: 'number' },
    point: 'transferred_to_agent',
  },
  {
    ...{ id: 'abandoned', text: 'analytics.figure.abandoned', unit: 'number', better: 'down' },
    point: 'abandoned',
  },
  {
    ...{ id: 'resolution_rate', text: 'analytics.figure.resolution-rate', unit: 'percent' },
    better: 'up',
  },
  {
    id: 'avg_messages_per_conversation',
    ...{ text: 'analytics.figure.messages-per-session', unit: 'decimal' },
  },
  { id: 'avg_resolution_time_seconds', text: 'analytics.figure.bot-time', unit: 'seconds' },
]

/** The figures of campaigns. */
export const CAMPAIGN_SPECS: readonly FigureSpec[] = [
  { id: 'recipients', text: 'analytics.figure.recipients', unit: 'number' },
  { id: 'delivery_rate', text: 'analytics.figure.delivery-rate', unit: 'percent', better: 'up' },
  { id: 'read_rate', text: 'analytics.figure.read-rate', unit: 'percent', better: 'up' },
  { id: 'reply_rate', text: 'analytics.figure.reply-rate', unit: 'percent', better: 'up' },
  { id: 'clicked', text: 'analytics.figure.clicked', unit: 'number', better: 'up' },
  { id: 'opt_outs', text: 'analytics.figure.opt-outs', unit: 'number', better: 'down' },
]

/** The figures of quality. */
export const QUALITY_SPECS: readonly FigureSpec[] = [
  {
    ...{ id: 'avg_first_response_seconds', text: 'analytics.figure.answer', unit: 'seconds' },
    ...{ better: 'down', point: 'avg_first_response_seconds' },
  },
  {
    ...{ id: 'median_first_response_seconds', text: 'analytics.figure.answer-median' },
    ...{ unit: 'seconds', better: 'down', point: 'median_first_response_seconds' },
  },
  { id: 'answers', text: 'analytics.figure.answers', unit: 'number', point: 'answers' },
  {
    ...{ id: 'avg_queue_seconds', text: 'analytics.figure.queue', unit: 'seconds' },
    ...{ better: 'down', point: 'avg_queue_seconds' },
  },
  {
    ...{ id: 'avg_resolution_seconds', text: 'analytics.figure.resolution', unit: 'seconds' },
    ...{ better: 'down', point: 'avg_resolution_seconds' },
  },
  {
    ...{ id: 'sla_breached', text: 'analytics.figure.breached', unit: 'number' },
    ...{ better: 'down', point: 'sla_breached' },
  },
  {
    ...{ id: 'sla_met_rate', text: 'analytics.figure.sla-met', unit: 'percent', better: 'up' },
    point: 'sla_met_rate',
  },
  {
    ...{ id: 'transfers_handled', text: 'analytics.figure.handled', unit: 'number' },
    point: 'transfers_handled',
  },
]

/** The figures of costs in a currency. */
export const costSpecs = (currency: string | null): readonly FigureSpec[] => [
  {
    ...{ id: 'cost', text: 'analytics.figure.cost', better: 'down', point: 'cost' },
    unit: currency === null ? 'number' : `money ${currency}`,
  },
  {
    ...{ id: 'billable_messages', text: 'analytics.figure.billable', unit: 'number' },
    point: 'billable_messages',
  },
  {
    ...{ id: 'free_messages', text: 'analytics.figure.free', unit: 'number' },
    point: 'free_messages',
  },
  {
    ...{ id: 'unpriced_messages', text: 'analytics.figure.unpriced', unit: 'number' },
    point: 'unpriced_messages',
  },
]

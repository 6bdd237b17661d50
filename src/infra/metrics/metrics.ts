import { Counter, Gauge, Histogram, Registry } from 'prom-client'

const PREFIX = 'switchboard_'

/** Upper bounds of buckets, seconds. */
const REQUEST_BOUNDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const
const TRANSACTION_BOUNDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2,
] as const
const WORK_BOUNDS = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900] as const

/**
 * Everything the program counts and times (`analytics-operations` B1). No label holds an id, a
 * number or free text.
 */
export type Metrics = ReturnType<typeof createMetrics>

/** The metrics of one program, all at nothing. */
export function createMetrics() {
  const registry = new Registry()
  const counter = <L extends string = never>(name: string, help: string, ...labelNames: L[]) =>
    new Counter<L>({ name: PREFIX + name, help, labelNames, registers: [registry] })
  const gauge = <L extends string = never>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge<L>({ name: PREFIX + name, help, labelNames, registers: [registry] })
  const histogram = <L extends string = never>(
    name: string,
    help: string,
    bounds: readonly number[],
    ...labelNames: L[]
  ) =>
    new Histogram<L>({
      name: PREFIX + name,
      help,
      labelNames,
      buckets: [...bounds],
      registers: [registry],
    })
  return {
    registry,
    ...trafficOf({ counter, gauge, histogram }),
    ...workOf({ counter, gauge, histogram }),
    ...stateOf({ counter, gauge, histogram }),
  }
}

/** Ways to name a metric. */
interface Makers {
  counter: <L extends string = never>(name: string, help: string, ...labels: L[]) => Counter<L>
  gauge: <L extends string = never>(name: string, help: string, ...labels: L[]) => Gauge<L>
  histogram: <L extends string = never>(
    name: string,
    help: string,
    bounds: readonly number[],
    ...labels: L[]
  ) => Histogram<L>
}

/** Requests, deliveries of the platform, calls to it, sockets. */
const trafficOf = ({ counter, gauge, histogram }: Makers) => ({
  httpRequests: counter('http_requests_total', 'Requests answered.', 'method', 'route', 'status'),
  httpDuration: histogram(
    'http_request_duration_seconds',
    'From the arrival of a request to its answer.',
    REQUEST_BOUNDS,
    'method',
    'route',
    'status',
  ),
  httpInFlight: gauge('http_in_flight', 'Requests being served.'),
  rateLimited: counter(
    'rate_limited_total',
    'Requests refused because a limit was reached.',
    'bucket',
  ),
  inboundEvents: counter(
    'inbound_events_total',
    'Changes of deliveries written to the journal.',
    'kind',
  ),
  inboundAck: histogram(
    'inbound_ack_seconds',
    'From the arrival of a delivery to its commit.',
    REQUEST_BOUNDS,
  ),
  inboundRejected: counter('inbound_rejected_total', 'Deliveries that were not taken.', 'reason'),
  platformRequests: counter(
    'platform_requests_total',
    'Calls to the platform.',
    'operation',
    'class',
  ),
  platformErrors: counter('platform_errors_total', 'Calls to the platform that failed.', 'code'),
  wsConnections: gauge(
    'ws_connections',
    'Open sockets, by whether they hear of all contacts or of their own.',
    'class',
  ),
  wsFrames: counter('ws_frames_total', 'Frames of events sent to sockets.', 'type'),
  wsClosed: counter('ws_closed_total', 'Sockets closed.', 'code'),
  wsReplayed: counter('ws_replayed_total', 'Frames sent again to sockets that came back.'),
})

/** Messages, jobs, and what automatons and campaigns do. */
const workOf = ({ counter, gauge, histogram }: Makers) => ({
  messages: counter(
    'messages_total',
    'Messages received, and handed over or given up.',
    'direction',
    'type',
    'outcome',
  ),
  messageSend: histogram(
    'message_send_seconds',
    'From the acceptance of a message here to that of the platform.',
    WORK_BOUNDS,
  ),
  ambiguousSends: counter(
    'ambiguous_sends_total',
    'Calls whose outcome the platform did not tell.',
  ),
  jobs: counter('jobs_total', 'Runs of jobs that ended.', 'kind', 'outcome'),
  jobDuration: histogram(
    'job_duration_seconds',
    'From the claim of a job to its end.',
    WORK_BOUNDS,
    'kind',
  ),
  webhookDeliveries: counter(
    'webhook_deliveries_total',
    'Deliveries to endpoints of customers.',
    'outcome',
  ),
  webhookDelivery: histogram(
    'webhook_delivery_seconds',
    'How long a delivery to an endpoint took.',
    REQUEST_BOUNDS,
  ),
  chatbotTurns: counter('chatbot_turns_total', 'Turns of the chatbot.', 'outcome'),
  aiRequests: counter('ai_requests_total', 'Requests to AI providers.', 'provider', 'outcome'),
  aiTokens: counter(
    'ai_tokens_total',
    'Tokens sent to and received from AI providers.',
    'provider',
    'direction',
  ),
  campaignMessages: counter('campaign_messages_total', 'Messages of campaigns.', 'outcome'),
  transfersWaiting: gauge('transfers_waiting', 'Transfers nobody has picked up.'),
})

/** What is looked at when metrics are read, and the database. */
const stateOf = ({ counter, gauge, histogram }: Makers) => ({
  journalPending: gauge('journal_pending', 'Changes not yet worked off; counted up to 100000.'),
  journalOldest: gauge('journal_oldest_seconds', 'Age of the oldest change never worked off.'),
  outboxPending: gauge(
    'outbox_pending',
    'Messages on their way to the platform; counted up to 100000.',
  ),
  outboxOldest: gauge(
    'outbox_oldest_seconds',
    'Age of the oldest message on its way to the platform.',
  ),
  jobsPending: gauge(
    'jobs_pending',
    'Jobs that are due; counted up to 10000 of each queue.',
    'kind',
    'organization',
  ),
  jobsOldest: gauge(
    'jobs_oldest_seconds',
    'How long the oldest due job has waited that no gate holds back.',
  ),
  jobsDiscarded: gauge(
    'jobs_discarded',
    'Jobs given up that are still kept; counted up to 10000.',
    'kind',
  ),
  webhookPending: gauge('webhook_pending', 'Deliveries to endpoints that wait.', 'organization'),
  webhookEndpointsDisabled: gauge(
    'webhook_endpoints_disabled',
    'Endpoints that were switched off because they failed.',
  ),
  dbSize: gauge('db_size_bytes', 'Size of the database file.'),
  dbWal: gauge('db_wal_bytes', 'Size of its write-ahead log.'),
  dbTransaction: histogram(
    'db_transaction_seconds',
    'How long a transaction took, commit included.',
    TRANSACTION_BOUNDS,
  ),
  dbBusy: counter(
    'db_busy_total',
    'Transactions that could not begin because another process was writing.',
  ),
  diskFree: gauge('disk_free_bytes', 'Free space where the data folder lies.'),
  backupLastSuccess: gauge(
    'backup_last_success_timestamp_seconds',
    'When the newest good backup ended, Unix time; 0 without one.',
  ),
  backupDuration: gauge('backup_duration_seconds', 'How long the newest good backup took.'),
  memory: gauge('process_resident_memory_bytes', 'Resident memory of the process.'),
  loopLag: gauge(
    'event_loop_lag_seconds',
    'Longest delay of the event loop since metrics were last read.',
  ),
  buildInfo: gauge('build_info', 'Always 1; the label tells the version.', 'version'),
  startTime: gauge('start_time_seconds', 'When the process started, Unix time.'),
})

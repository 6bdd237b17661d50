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
 * All metrics of the program (`analytics-operations` B1). No label holds an ID, a number or free
 * text.
 */
export type Metrics = ReturnType<typeof createMetrics>

/** Creates the metrics of one program, all at zero. */
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
  httpRequests: counter(
    'http_requests_total',
    'HTTP requests completed.',
    'method',
    'route',
    'status',
  ),
  httpDuration: histogram(
    'http_request_duration_seconds',
    'Time from receiving a request to responding.',
    REQUEST_BOUNDS,
    'method',
    'route',
    'status',
  ),
  httpInFlight: gauge('http_in_flight', 'HTTP requests in progress.'),
  rateLimited: counter('rate_limited_total', 'Requests rejected by a rate limit.', 'bucket'),
  inboundEvents: counter('inbound_events_total', 'Webhook changes stored in the journal.', 'kind'),
  inboundAck: histogram(
    'inbound_ack_seconds',
    'Time from receiving a webhook delivery to its commit.',
    REQUEST_BOUNDS,
  ),
  inboundRejected: counter('inbound_rejected_total', 'Webhook deliveries rejected.', 'reason'),
  platformRequests: counter(
    'platform_requests_total',
    'Calls to the platform.',
    'operation',
    'class',
  ),
  platformErrors: counter('platform_errors_total', 'Failed calls to the platform.', 'code'),
  wsConnections: gauge(
    'ws_connections',
    'Open WebSocket connections, by whether they receive events of all contacts or only of ' +
      'their own.',
    'class',
  ),
  wsFrames: counter('ws_frames_total', 'Event frames sent over WebSocket.', 'type'),
  wsClosed: counter('ws_closed_total', 'WebSocket connections closed.', 'code'),
  wsReplayed: counter('ws_replayed_total', 'Event frames resent to reconnected WebSocket clients.'),
})

/** Messages, jobs, automations and campaigns. */
const workOf = ({ counter, gauge, histogram }: Makers) => ({
  messages: counter(
    'messages_total',
    'Messages received, submitted and failed.',
    'direction',
    'type',
    'outcome',
  ),
  messageSend: histogram(
    'message_send_seconds',
    'Time from accepting a message to its acceptance by the platform.',
    WORK_BOUNDS,
  ),
  ambiguousSends: counter('ambiguous_sends_total', 'Platform calls with an unknown outcome.'),
  jobs: counter('jobs_total', 'Job runs completed.', 'kind', 'outcome'),
  jobDuration: histogram(
    'job_duration_seconds',
    'Time from claiming a job to its end.',
    WORK_BOUNDS,
    'kind',
  ),
  webhookDeliveries: counter(
    'webhook_deliveries_total',
    'Requests to customer endpoints: delivered, or the kind of failure.',
    'outcome',
  ),
  webhookDelivery: histogram(
    'webhook_delivery_seconds',
    'Duration of a request to a customer endpoint.',
    REQUEST_BOUNDS,
  ),
  chatbotTurns: counter('chatbot_turns_total', 'Chatbot turns.', 'outcome'),
  aiRequests: counter('ai_requests_total', 'Requests to AI providers.', 'provider', 'outcome'),
  aiTokens: counter(
    'ai_tokens_total',
    'Tokens sent to and received from AI providers.',
    'provider',
    'direction',
  ),
  campaignMessages: counter('campaign_messages_total', 'Campaign messages.', 'outcome'),
  transfersWaiting: gauge('transfers_waiting', 'Unassigned transfers.'),
})

/** Gauges that are computed when metrics are read, and the database. */
const stateOf = ({ counter, gauge, histogram }: Makers) => ({
  journalPending: gauge('journal_pending', 'Unprocessed webhook changes, counted up to 100000.'),
  journalOldest: gauge('journal_oldest_seconds', 'Age of the oldest unprocessed webhook change.'),
  outboxPending: gauge(
    'outbox_pending',
    'Messages being sent to the platform, counted up to 100000.',
  ),
  outboxOldest: gauge(
    'outbox_oldest_seconds',
    'Age of the oldest message being sent to the platform.',
  ),
  jobsPending: gauge(
    'jobs_pending',
    'Jobs that are due; counted up to 10000 of each queue.',
    'kind',
    'organization',
  ),
  jobsOldest: gauge(
    'jobs_oldest_seconds',
    'Waiting time of the oldest due job that is not held by a gate.',
  ),
  jobsDiscarded: gauge(
    'jobs_discarded',
    'Discarded jobs still stored, counted up to 10000.',
    'kind',
  ),
  webhookPending: gauge(
    'webhook_pending',
    'Pending deliveries to customer endpoints, up to 10000 of each state.',
    'organization',
  ),
  webhookEndpointsDisabled: gauge(
    'webhook_endpoints_disabled',
    'Customer endpoints disabled because they failed.',
  ),
  dbSize: gauge('db_size_bytes', 'Size of the database file.'),
  dbWal: gauge('db_wal_bytes', 'Size of the write-ahead log.'),
  dbTransaction: histogram(
    'db_transaction_seconds',
    'Duration of a transaction, including its commit.',
    TRANSACTION_BOUNDS,
  ),
  dbBusy: counter(
    'db_busy_total',
    'Transactions that could not begin because another process was writing.',
  ),
  diskFree: gauge('disk_free_bytes', 'Free disk space of the data directory.'),
  backupLastSuccess: gauge(
    'backup_last_success_timestamp_seconds',
    'Unix time at which the latest successful backup completed; 0 without one.',
  ),
  backupDuration: gauge('backup_duration_seconds', 'Duration of the latest successful backup.'),
  replicaAge: gauge(
    'replica_age_seconds',
    'Time since the newest change that the follower (REPLICA_PATH) has; 0 without one.',
  ),
  cpu: counter('process_cpu_seconds_total', 'Processor time that the process used.'),
  memory: gauge('process_resident_memory_bytes', 'Resident memory of the process.'),
  loopLag: gauge(
    'event_loop_lag_seconds',
    'Longest event loop delay since metrics were last read.',
  ),
  buildInfo: gauge(
    'build_info',
    'Always 1; the labels say which version runs, of which commit, and when that was made.',
    'version',
    'commit',
    'committed_at',
  ),
  startTime: gauge('start_time_seconds', 'Unix time at which the process started.'),
})

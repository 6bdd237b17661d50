/** Resources whose ids occur in fields; the same resource has the same id in all examples. */
const RESOURCES: [field: RegExp, owner: RegExp, number: string][] = [
  [/^account/, /^(Account|SignedUpAccount|Number)/i, '10'],
  [/^contact|^merged_into|^recipient/, /Contact|Customer|Recipient/i, '20'],
  [/^conversation/, /Conversation/i, '30'],
  [/^(sent_)?message|^reply_to|^resend_of|^last_message/, /Message|Outbox/i, '40'],
  [
    /^(user|agent|member|assigned_to|created_by|updated_by|published_by|transferred_by|resumed_by|requested_by|made_by|by|mentions|invited_by|accepted_by|sla_escalation|owner)/,
    /User|Member|Agent|Colleague|Me$|Login|actor|_by$/i,
    '50',
  ],
  [/^(assigned_)?team/, /Team/i, '60'],
  [/^role/, /Role/i, '61'],
  [/^(default_)?organization/, /Organization|Branding/i, '70'],
  [/^(exclude_)?tag/, /Tag/i, '21'],
  [/^segment/, /Segment/i, '22'],
  [/^campaign/, /Campaign/i, '80'],
  [/^template/, /Template/i, '81'],
  [/^(current_)?flow/, /Flow/i, '82'],
  [/media/, /Media|File/i, '83'],
  [/^(api_)?key/, /ApiKey/i, '90'],
  [/^endpoint/, /WebhookEndpoint/i, '91'],
  [/^delivery/, /Delivery/i, '92'],
  [/^session/, /Session/i, '93'],
  [/^rule/, /Keyword/i, '94'],
  [/^transfer_id/, /Transfer/i, '31'],
  [/^order_id/, /Order/i, '32'],
  [/^export_id/, /Export/i, '95'],
  [/^import_id/, /Import/i, '96'],
  [/^note_id/, /Note/i, '33'],
  [/^canned/, /Canned/i, '34'],
  [/^view_id/, /View/i, '35'],
]

/**
 * Returns the first row whose expression fits an owner such as `Conversation.assigned_team`: its last
 * part counts before the others.
 */
export const firstOf = <Row>(
  owner: string,
  rows: readonly Row[],
  word: (row: Row) => RegExp,
): Row | undefined =>
  owner
    .split('.')
    .toReversed()
    .map((part) => rows.find((row) => word(row).test(part)))
    .find((row) => row !== undefined)

/** Returns an example of an id: `field` is its name, `owner` the object that has it. */
export function idOf(field: string, owner: string): string {
  const found =
    field === 'id'
      ? (RESOURCES.find(([word]) => word.test(owner.split('.').at(-1) ?? '')) ??
        firstOf(owner, RESOURCES, ([, word]) => word))
      : RESOURCES.find(([word]) => word.test(field))
  return `019a52b0-1c00-7000-8000-0000000000${found?.[2] ?? '01'}`
}

/** Moments by the name of a field, in the order of a story: the first that fits is used. */
const MOMENTS: [field: RegExp, time: string][] = [
  [/(until|deadline|expires|expires_at|resets_at|closes_at|eta_at|lease_until)$/, '22T09:30:00'],
  [/^(next_|scheduled_at|send_at|opens_at|bot_waits)/, '23T08:00:00'],
  [/^to$|^as_of$|generated_at|checked_at|counted_at/, '21T12:00:00'],
  [/^(created_at|from|first_seen_at|active_from|effective_(at|from)|subscribed_at)/, '20T08:15:00'],
  [/^(received_at|timestamp|last_inbound_at|last_message_at|waiting_since)$/, '21T09:30:00'],
  [/^(picked_up_at|started_at|sent_at|attempted_at|last_sent_at)$/, '21T09:31:00'],
  [/^delivered_at$/, '21T09:31:02'],
  [/^(read_at|played_at|clicked_at)$/, '21T09:31:40'],
  [/^(first_response_at|replied_at|answered_at)$/, '21T09:32:00'],
  [/^(finished|completed|ended|resumed|processed|closed|thawed|archived)/, '21T09:40:00'],
  [/^updated_at$|^last_/, '21T09:42:00'],
]

/** Returns an example of a moment for a field. */
export const momentOf = (field: string): string =>
  `2026-11-${MOMENTS.find(([word]) => word.test(field))?.[1] ?? '21T09:30:00'}.000Z`

/** Returns an example of a date for a field: a period is a month. */
export const dateOf = (field: string): string =>
  /^(end|to|until)/.test(field)
    ? '2026-11-30'
    : /^(start|from)/.test(field)
      ? '2026-11-01'
      : '2026-11-21'

/** Numbers by the name of a field, the first that fits is used; sums agree with their parts. */
const NUMBERS: [field: RegExp, value: number][] = [
  [/^(page|total|total_pages|count|position|index|version|attempt|attempts|attempt_count)$/, 1],
  [/^limit$/, 50],
  [/^port$/, 8080],
  [/^width$/, 1280],
  [/^height$/, 720],
  [/^(http_status|status_code|last_status_code)$/, 200],
  [/^expires_in$/, 3600],
  [/^(disk_free)_bytes$/, 48_318_382_080],
  [/^(database|media|backups|archive|max)_bytes$/, 26_214_400],
  [/bytes$/, 48_213],
  [/^duration_ms$/, 184],
  [/_age_ms$/, 1_500],
  [/_ms$/, 42],
  [/^failed_rate_1h$/, 0.02],
  [/^ai_temperature$/, 0.2],
  [/^(delivery|success)_rate$/, 97],
  [/^read_rate$/, 76.8],
  [/^reply_rate$/, 14.4],
  [/(_rate|_percent)$/, 82.5],
  [/^(cost_usd|estimated_cost)$/, 0.0042],
  [/^(ai_price_\w+)$/, 0.25],
  [/^item_price$/, 49.9],
  [/^max_price$/, 60_000],
  [/^uptime_seconds$/, 86_400],
  [/^away_seconds$/, 1_800],
  [/^available_seconds$/, 25_200],
  [/first_response_seconds$/, 95],
  [/resolution(_time)?_seconds$/, 1_260],
  [/(seconds|_secs|_s)$/, 240],
  [/_minutes$/, 30],
  [/_hours$/, 24],
  [/(_days|^days)$/, 30],
  [/^(total_)?(recipients|contacts)$|^eligible$/, 240],
  [/^(total_)?sent(_count|_30d)?$/, 236],
  [/^(total_)?delivered(_count)?$/, 229],
  [/^(total_)?read(_count)?$/, 176],
  [/^(total_)?repl(ied|ies)(_count)?$/, 33],
  [/^clicked(_count)?$/, 21],
  [/^(total_)?failed(_count)?$/, 4],
  [/^(skipped|unknown|cancelled|pending|sending)_count$/, 0],
  [/^(input_tokens)$/, 610],
  [/^(output_tokens)$/, 90],
  [/^(total_tokens|ai_max_tokens|avg_tokens_per_request)$/, 700],
  [/token_budget$/, 200_000],
  [/^(throughput_limit|rate_limit|rate_now|rate_per_second)$/, 80],
  [/^rate_per_minute$/, 300],
  [/^(rows_total|rows|row_count|imported)$/, 240],
  [/^rows_done$/, 120],
  [/^(line|row)$/, 12],
  [/^(unread_count|unread|mine)$/, 2],
  [/^(permission_count)$/, 14],
  [/^(member_count|user_count)$/, 6],
  [/^(total_received|messages_sent|messages|messages_handled|billable_messages)$/, 412],
  [/^(conversations|total_conversations|unique_contacts)$/, 87],
]

/** Returns an example of a number for a field, within its limits. */
export function numberOf(
  field: string,
  {
    type,
    minimum = -Infinity,
    maximum = Infinity,
  }: { type?: unknown; minimum?: number; maximum?: number },
): number {
  const wanted = NUMBERS.find(([word]) => word.test(field))?.[1] ?? 3
  const value = Math.min(Math.max(wanted, minimum), maximum)
  return type === 'integer' ? Math.ceil(value) : value
}

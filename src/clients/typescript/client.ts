import { OPERATIONS } from './operations.gen'
import { request, type Connection, type LooseInput, type Settings } from './request'
import type { Api, Arguments, Item, ListName, OperationName, SwitchboardEvent } from './shapes'
import { listen, type ListenOptions } from './socket'

/** Items of a page, unless the caller chose a number: the most that the API gives. */
const PAGE = 100

/** A page of a list, whatever it lists. */
interface Page {
  items?: unknown[]
  members?: unknown[]
  page?: number | null
  limit?: number
  total?: number | null
  next_cursor?: string | null
}

const looseOf = (input: unknown[]): LooseInput => (input[0] ?? {}) as LooseInput

/** A client of a Switchboard server. */
export class Switchboard {
  /** Each operation of the API as a function: `switchboard.api.listContacts()`. */
  readonly api: Api

  private readonly settings: Connection

  constructor(settings: Settings = {}) {
    const { SWITCHBOARD_URL, SWITCHBOARD_KEY } = globalThis.process?.env ?? {}
    const { url = SWITCHBOARD_URL, key = SWITCHBOARD_KEY } = settings
    if (url === undefined || !URL.canParse(url)) throw new TypeError(`not an address: ${url}`)
    this.settings = { ...settings, url, ...(key === undefined ? {} : { key }) }
    this.api = Object.fromEntries(
      Object.keys(OPERATIONS).map((name) => [
        name,
        (input: LooseInput = {}) => this.call(name as OperationName, input),
      ]),
    ) as unknown as Api // one function for each name; types cannot follow a list of names
  }

  private call(name: OperationName, input: LooseInput): Promise<unknown> {
    return request(this.settings, name, input, async (response) =>
      response.status === 204 ? undefined : ((await response.json()) as { data: unknown }).data,
    )
  }

  /**
   * Calls an operation that answers with a file, or a report with `format: 'csv'`. Returns the
   * answer as soon as it begins; read it with `arrayBuffer()`, or `body` as a stream.
   */
  download<N extends OperationName>(name: N, ...input: Arguments<N>): Promise<Response> {
    return request(this.settings, name, looseOf(input), (response) => Promise.resolve(response))
  }

  /** Yields all that an operation lists, page by page. */
  async *each<N extends ListName>(name: N, ...input: Arguments<N>): AsyncGenerator<Item<N>> {
    const wish = looseOf(input)
    const query: Record<string, unknown> = { limit: PAGE, ...wish.query }
    for (;;) {
      const data = (await this.call(name, { ...wish, query })) as Page
      const items = data.items ?? data.members ?? []
      yield* items as Item<N>[]
      if (data.next_cursor === undefined) {
        const { page, limit, total } = data
        if (items.length === 0 || !page || !limit || page * limit >= (total ?? 0)) return
        query['page'] = page + 1
      } else if (data.next_cursor === null) return
      else {
        delete query['page']
        query['cursor'] = data.next_cursor
      }
    }
  }

  /**
   * Yields what happens in the organization, as far as the credential may see it, until the loop is
   * left. A lost line is opened again, and what was missed comes first: nothing is lost, and nothing
   * comes twice. With a cursor that is stored this holds over restarts, too: an event counts as
   * handled when the loop asks for the next one.
   *
   * Throws SwitchboardError when the access has ended.
   */
  events(options: ListenOptions = {}): AsyncGenerator<SwitchboardEvent> {
    const ticket = async (): Promise<string> =>
      (await this.api.createWebSocketTicket({ ...(options.signal && { signal: options.signal }) }))
        .ticket
    return listen(this.settings.url, ticket, options)
  }
}

import type { Deps } from '../../../../infra/ctx'
import { endpointsOf } from '../queries'
import type { EndpointRow } from '../row'

/** The endpoints of organizations, read once for a batch of events. */
export class Endpoints {
  private readonly known = new Map<string, EndpointRow[]>()

  constructor(private readonly deps: Deps) {}

  /** Returns the endpoints of an organization that are not deleted. */
  of(organizationId: string): EndpointRow[] {
    const known = this.known.get(organizationId)
    if (known) return known
    const rows = endpointsOf({ db: this.deps.db, organizationId })
    this.known.set(organizationId, rows)
    return rows
  }
}

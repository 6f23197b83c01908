import type { ExportItem } from '#contract/accounts/accounts.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import type { Account } from '#domain/accounts/account.ts';
import { exportPage, type Source } from '#domain/accounts/export.ts';
import type { statementService } from '#domain/billing/statements.ts';
import { accountDetails } from '#domain/operators/operated-account.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { exportSources } from '#repositories/export/account-export.ts';
import { responseStore } from '#repositories/responses/responses.ts';
import type { audioJobs } from './audio-jobs.ts';
import type { CoreServices } from './core-services.ts';
import { dynamoClient } from './dynamo-client.ts';
import type { organizationServices } from './organizations.ts';

interface ExportParts {
  readonly statements: () => Promise<ReturnType<typeof statementService>>;
  readonly audioJobs: () => Promise<ReturnType<typeof audioJobs>>;
  readonly organizations: () => Promise<Pick<ReturnType<typeof organizationServices>, 'store'>>;
}

const entriesPerRead = '200';
const contentsPerRead = 4;

/** Everything that is stored about an account, by pages (docs/accounts.md#export). */
export function accountExport(
  { clock, table, metering, plans, contents, environment }: CoreServices,
  { statements, audioJobs, organizations }: ExportParts,
) {
  const client = dynamoClient();
  const responses = responseStore(client, table('responses'));

  function reads(accountId: number) {
    return {
      response: async (id: string) => (await responses.find(accountId, id, clock.now())) ?? null,
      async transcript(id: string) {
        const { text, segments } = await (await audioJobs()).jobs().get(accountId, id).catch(noTranscript);
        return { text, segments };
      },
      async membership(organizationId: number) {
        const found = await (await organizations()).store.membership(organizationId, accountId);
        return found ? { name: found.organization.name, role: found.member.role } : {};
      },
    };
  }

  /** The balance with its lots, plan, alerts and spending cap. */
  function creditsOf(account: Account): Source {
    return single(async () => {
      const now = clock.now();
      const meter = await metering().current(account.id, now);
      const { subscription, credits, period, used, plan } = accountDetails(account, meter, plans, now);
      const { alerts = null, cap } = meter;
      const monthlyCap = cap ? cap.limit / microPerCredit : null;
      return { kind: 'credits', data: { plan, subscription, credits, period, used, alerts, monthlyCap } };
    });
  }

  /** Entries of the table and of the archive, newest first. */
  function ledgerOf(accountId: number): Source {
    return {
      async read(cursor) {
        const seq = metering()
          .find(accountId)
          .then((meter) => meter?.seq ?? 0);
        const query = { limit: Number(entriesPerRead), cursor };
        const { entries, nextCursor } = await (await statements()).page(accountId, seq, query);
        const items = entries.map((data): ExportItem => ({ kind: 'ledger_entry', data }));
        return { rows: [{ at: nextCursor ?? '', items, inner: [] }], isLast: nextCursor === null };
      },
      inner: async () => [],
    };
  }

  /** Prompts and responses. At most 512 KB each, so a read returns few. */
  function contentsOf(accountId: number): Source {
    return {
      async read(after) {
        const { rows, isLast } = await (await contents()).list(accountId, after, contentsPerRead);
        const exported = rows.map(({ at, keyId, content }) => ({
          at,
          items: content ? [{ kind: 'request_content' as const, data: { keyId, ...content } }] : [],
          inner: [],
        }));
        return { rows: exported, isLast };
      },
      inner: async () => [],
    };
  }

  return {
    page(account: Account, cursor: string | undefined) {
      const { id } = account;
      const rest = exportSources(client, table, id, reads(id));
      const stored = environment.CONTENT_BUCKET === undefined ? [] : [contentsOf(id)];
      return exportPage([...rest, creditsOf(account), ledgerOf(id), ...stored], cursor);
    },
  };
}

const single = (read: () => Promise<ExportItem>): Source => ({
  read: async () => ({ rows: [{ at: '', items: [await read()], inner: [] }], isLast: true }),
  inner: async () => [],
});

/** The job or its text has expired since its row was read. */
function noTranscript(error: unknown) {
  if (error instanceof ServiceError && error.code === 'NOT_FOUND') return { text: null, segments: [] };
  throw error;
}

import { ApiError } from '../../api/http/api-error.ts';
import { useTitle } from '../../lib/hooks/use-title.ts';
import { CodeLoadError } from '../../lib/or-reload.ts';
import css from './failure.module.css';

/** What stands where a page threw. It needs nothing of what is around it, as that may be what broke. */
export function Failure({ error }: { error: unknown }) {
  const heading = useTitle('Something went wrong');
  const { text, detail } = explained(error);
  return (
    <div className={css.failure} role="alert">
      <h1 ref={heading} tabIndex={-1}>
        Something went wrong
      </h1>
      <p>{text}</p>
      {detail !== undefined && <p className={css.detail}>{detail}</p>}
      <div className={css.actions}>
        <button type="button" onClick={() => window.location.reload()}>
          Reload
        </button>
        <a href="/">Overview</a>
      </div>
    </div>
  );
}

function explained(error: unknown): { text: string; detail?: string | undefined } {
  if (error instanceof CodeLoadError)
    return { text: "Can't reach the server. Check your connection, then reload the page." };
  if (error instanceof ApiError)
    return { text: error.message, detail: error.requestId && `Request ID ${error.requestId}` };
  return { text: 'This page stopped working. Reload it, or open another page.', detail: String(error) };
}

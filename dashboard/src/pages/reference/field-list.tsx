import type { Field, FieldGroup } from './operation.ts';
import { Prose } from './prose.tsx';
import css from './reference.module.css';

/** The fields of an object, or of each kind that it may be; those of inner objects are opened on request. */
export function FieldGroups({ groups }: { groups: readonly FieldGroup[] }) {
  return groups.map(({ title, fields }, index) => (
    <div key={index}>
      {title !== '' && <p className={css.kind}>{title}</p>}
      <ul className={css.fields}>
        {fields.map((field) => (
          <FieldItem key={field.name} field={field} />
        ))}
      </ul>
    </div>
  ));
}

function FieldItem({ field: { name, type, isRequired, text, rules, kinds } }: { field: Field }) {
  return (
    <li>
      <p className={css.field}>
        <code>{name}</code>
        <span>{type}</span>
        {isRequired && <strong>required</strong>}
      </p>
      {text !== undefined && (
        <p className={css.text}>
          <Prose text={text} />
        </p>
      )}
      {rules.length > 0 && <p className={css.text}>{rules.join('; ')}</p>}
      {kinds.length > 0 && (
        <details>
          <summary>Fields of {name}</summary>
          <FieldGroups groups={kinds} />
        </details>
      )}
    </li>
  );
}

/** Translations of the emails, by their English message. */
export const messages: Readonly<Record<string, string>> = {
  'unlimited credits': 'أرصدة غير محدودة',
  '{credits} credits': '{credits, plural, one {رصيد واحد} two {رصيدان} few {# أرصدة} many {# رصيدًا} other {# رصيد}}',
  'as requested': 'بناءً على الطلب',
  'because every delivery to it has failed for five days': 'لأن جميع عمليات التسليم إليه فشلت طوال خمسة أيام',
  'because it responded that it is gone (410)': 'لأنه أجاب بأنه لم يعد موجودًا (410)',
  'Your webhook was disabled': 'تم تعطيل خطاف الويب الخاص بك',
  'The webhook at {host} was disabled {reason}. It receives no events until you enable it again.':
    'تم تعطيل خطاف الويب على {host} {reason}. لن يتلقى أي أحداث حتى تعيد تفعيله.',
  'View your webhooks': 'عرض خطافات الويب',
  'Pending deliveries are kept for 30 days and sent once the webhook is enabled.':
    'يتم الاحتفاظ بعمليات التسليم المعلّقة لمدة 30 يومًا، وتُرسل عند إعادة تفعيل خطاف الويب.',
  'We received your payment of {amount} for: {what}.': 'استلمنا دفعتك بمبلغ {amount} مقابل: {what}.',
  '{credits, plural, one {# credit was} other {# credits were}} added and can be spent until {until}.':
    'الأرصدة المضافة: {credits, number}، ويمكن استخدامها حتى {until}.',
  'Receipt for {amount}': 'إيصال بمبلغ {amount}',
  'View the receipt': 'عرض الإيصال',
  'All payments and their invoices are on the billing page of your account.':
    'تجد جميع الدفعات وفواتيرها في صفحة الفوترة في حسابك.',
  'Your payment for {plan} failed': 'فشلت دفعتك مقابل {plan}',
  'We could not charge {amount} for the next month of {plan}. You keep the limits of the plan until {until}, without new credits. If it is not paid by then, the plan ends.':
    'تعذّر علينا تحصيل مبلغ {amount} عن الشهر القادم من {plan}. ستحتفظ بحدود الخطة حتى {until} دون أرصدة جديدة. وإذا لم يُدفع المبلغ قبل ذلك، فستنتهي الخطة.',
  'Pay or change the card': 'الدفع أو تغيير البطاقة',
  'The charge will be tried again. If you pay in the meantime, there is nothing else to do.':
    'ستُعاد محاولة التحصيل. وإذا دفعت في هذه الأثناء، فلا يلزمك أي إجراء آخر.',
  'Confirm your payment': 'أكّد دفعتك',
  'Your bank requires you to confirm the payment of {amount} for: {what}. Nothing is charged or changed until then.':
    'يطلب مصرفك تأكيد دفع مبلغ {amount} مقابل: {what}. لن يُحصَّل أو يتغيّر أي شيء قبل ذلك.',
  'Confirm the payment': 'تأكيد الدفع',
  'If you do not recognize this payment, do not confirm it, and look at the billing page of your account.':
    'إذا كنت لا تعرف هذه الدفعة، فلا تؤكّدها، وراجع صفحة الفوترة في حسابك.',
  'Your card expires soon': 'ستنتهي صلاحية بطاقتك قريبًا',
  'The {name} card ending in {last4} expires at the end of {month}. Save another one, so that your plan and automatic top-ups continue.':
    'تنتهي صلاحية بطاقة {name} المنتهية بالأرقام {last4} في نهاية {month}. احفظ بطاقة أخرى لكي تستمر خطتك وعمليات الشحن التلقائي.',
  'Change the card': 'تغيير البطاقة',
  'Your bank may update a renewed card automatically.': 'قد يحدّث مصرفك البطاقة المجدَّدة تلقائيًا.',
  '{plan} ended because it was not paid': 'انتهت {plan} لعدم الدفع',
  'The current month of {plan} was not paid, or its payment was refunded or disputed, so the plan has ended after seven days. Its remaining credits can be spent until {until}. Credits that you bought keep their own date.':
    'لم يُدفع الشهر الحالي من {plan}، أو استُردّت دفعته أو اعتُرض عليها، ولذلك انتهت الخطة بعد سبعة أيام. يمكن استخدام أرصدتها المتبقية حتى {until}. أما الأرصدة التي اشتريتها فتحتفظ بتاريخها الخاص.',
  'Choose a plan': 'اختيار خطة',
  'The open invoice was cancelled. You owe nothing.': 'أُلغيت الفاتورة المفتوحة، ولا يترتب عليك أي مبلغ.',
  'your card was declined': 'رُفضت بطاقتك',
  'your bank requires you to confirm it': 'يطلب مصرفك تأكيد العملية',
  'no card is saved': 'لا توجد بطاقة محفوظة',
  'it would exceed your limit for this month': 'ستتجاوز العملية حدّك لهذا الشهر',
  'our payment provider could not be reached': 'تعذّر الوصول إلى مزوّد خدمة الدفع',
  'The automatic top-up is now off.': 'الشحن التلقائي متوقف الآن.',
  'It continues next month (UTC).': 'سيستمر في الشهر القادم (UTC).',
  'It will be tried again.': 'ستُعاد المحاولة.',
  'A payment was refunded or disputed.': 'استُردّت دفعة أو اعتُرض عليها.',
  'The automatic purchase of {credits, plural, one {# credit} other {# credits}} for {amount} failed, because {reason}.':
    'فشل الشراء التلقائي ({credits, plural, one {رصيد واحد} two {رصيدان} few {# أرصدة} many {# رصيدًا} other {# رصيد}} مقابل {amount}). السبب: {reason}.',
  'Your automatic top-up was switched off': 'تم إيقاف الشحن التلقائي',
  'Your automatic top-up failed': 'فشل الشحن التلقائي',
  'View billing': 'عرض الفوترة',
  'Calls are refused once your credits are used up. You can buy credits on the billing page at any time.':
    'تُرفض الاستدعاءات عند نفاد أرصدتك. يمكنك شراء الأرصدة من صفحة الفوترة في أي وقت.',
  'We refunded {amount} of your payment for {what}.': 'لقد رددنا {amount} من دفعتك مقابل {what}.',
  'Your bank reported a dispute over {amount} of your payment for {what}.':
    'أبلغ مصرفك عن اعتراض على {amount} من دفعتك مقابل {what}.',
  'Your payment for {what} arrived after the plan had ended, so we refunded {amount}.':
    'وصلت دفعتك مقابل {what} بعد انتهاء الخطة، ولذلك رددنا {amount}.',
  'You already had a plan when your payment for {what} arrived, so we refunded {amount}.':
    'كانت لديك خطة بالفعل عند وصول دفعتك مقابل {what}، ولذلك رددنا {amount}.',
  'Your plan had changed when your payment for {what} arrived, so we refunded {amount}.':
    'كانت خطتك قد تغيّرت عند وصول دفعتك مقابل {what}، ولذلك رددنا {amount}.',
  '{credits, plural, one {# credit was} other {# credits were}} taken back.': 'الأرصدة المسترجعة: {credits, number}.',
  'A payment was disputed': 'تم الاعتراض على دفعة',
  'We refunded {amount}': 'لقد رددنا {amount}',
  'If you did not open this dispute, or have resolved it, contact us.':
    'إذا لم تقدّم هذا الاعتراض، أو إذا تمت تسويته، فتواصل معنا.',
  'The refund usually arrives within 5 to 10 business days.': 'يصل المبلغ المسترد عادةً خلال 5 إلى 10 أيام عمل.',
  '{credits, plural, one {# credits} other {# credits}}':
    '{credits, plural, one {رصيد واحد} two {رصيدان} few {# أرصدة} many {# رصيدًا} other {# رصيد}}',
  'Upgrade to {plan}': 'الترقية إلى {plan}',
  'You are invited to {organization}': 'دعوة للانضمام إلى {organization}',
  '{sender} invites you to join the organization {organization} with the role {role}. To accept, sign in or register with {email}. The link works once and for 7 days.':
    'يدعوك {sender} إلى الانضمام إلى المؤسسة {organization} بدور {role}. لقبول الدعوة، سجّل الدخول أو أنشئ حسابًا باستخدام {email}. يعمل الرابط مرة واحدة ولمدة 7 أيام.',
  'Join the organization': 'الانضمام إلى المؤسسة',
  'If you do not know the sender, you can ignore this email.': 'إذا كنت لا تعرف المرسل، فيمكنك تجاهل هذه الرسالة.',
  'Buy credits': 'شراء الأرصدة',
  'View plans': 'عرض الخطط',
  'You get this mail once in a billing month. Change alerts in the settings.':
    'تصلك هذه الرسالة مرة واحدة في كل شهر فوترة. يمكنك تغيير التنبيهات من الإعدادات.',
  'Your balance is below {credits, plural, one {# credits} other {# credits}}': 'انخفضت أرصدتك عن {credits, number}',
  'Less than {credits, plural, one {# credits} other {# credits}} are left.':
    'عدد الأرصدة المتبقية أقل من {credits, number}.',
  'All your credits are used. Calls are refused until you buy credits, choose a larger plan, or the next month begins.':
    'استُخدمت جميع أرصدتك. تُرفض الاستدعاءات حتى تشتري أرصدة، أو تختار خطة أكبر، أو يبدأ الشهر القادم.',
  'All your credits are used. Calls are refused until you choose a larger plan, or the next month begins.':
    'استُخدمت جميع أرصدتك. تُرفض الاستدعاءات حتى تختار خطة أكبر، أو يبدأ الشهر القادم.',
  'Your credits are used up': 'نفدت أرصدتك',
  'You have used {percent}% of the credits you had this month.': 'لقد استخدمت {percent}% من أرصدتك لهذا الشهر.',
  'You have used {percent}% of your credits': 'لقد استخدمت {percent}% من أرصدتك',
  'You have used {percent} % of your spending cap': 'لقد بلغت {percent}% من سقف الإنفاق',
  'You have used {percent} % of the spending cap of this calendar month. At 100 % calls are refused until you raise the cap or the next month begins (UTC).':
    'لقد بلغت {percent}% من سقف الإنفاق لهذا الشهر الميلادي. عند بلوغ 100% تُرفض الاستدعاءات حتى ترفع السقف أو يبدأ الشهر القادم (UTC).',
  'View the cap': 'عرض السقف',
  'You get this mail once in a calendar month. Change alerts in the settings.':
    'تصلك هذه الرسالة مرة واحدة في كل شهر ميلادي. يمكنك تغيير التنبيهات من الإعدادات.',
  'At 100% its calls are refused until the limit resets.': 'عند بلوغ 100% تُرفض استدعاءاته حتى يُعاد ضبط الحد.',
  'The key {key} has used {percent}% of its spending limit.': 'بلغ المفتاح {key} نسبة {percent}% من حد إنفاقه.',
  'A key has used {percent}% of its spending limit.': 'بلغ أحد المفاتيح نسبة {percent}% من حد إنفاقه.',
  'A key has used {percent}% of its limit': 'بلغ أحد المفاتيح نسبة {percent}% من حدّه',
  'View keys': 'عرض المفاتيح',
  'You get this mail once for each key and period. Change alerts in the settings.':
    'تصلك هذه الرسالة مرة واحدة لكل مفتاح وفترة. يمكنك تغيير التنبيهات من الإعدادات.',
  'You are now on {plan}': 'أصبحت خطتك {plan}',
  'Your subscription to {plan} has begun. Its credits were added.': 'بدأ اشتراكك في {plan}، وأُضيفت أرصدته.',
  'The operators of the service changed your plan to {plan}.': 'غيّر مشغّلو الخدمة خطتك إلى {plan}.',
  'Your plan was upgraded to {plan}. Its limits apply now, and the additional credits were added.':
    'تمت ترقية خطتك إلى {plan}. تسري حدودها من الآن، وأُضيفت الأرصدة الإضافية.',
  'Your plan changes to {plan} on {on}': 'ستتغيّر خطتك إلى {plan} في {on}',
  'Your plan changes to {plan} on {on}. Until then it stays as it is.':
    'ستتغيّر خطتك إلى {plan} في {on}. وتبقى كما هي حتى ذلك الحين.',
  'You stay on {plan}': 'ستبقى على {plan}',
  'The change of your plan was withdrawn. You stay on {plan}.': 'تم التراجع عن تغيير خطتك. ستبقى على {plan}.',
  'Your plan has changed to {plan}, as you had chosen.': 'تغيّرت خطتك إلى {plan} كما اخترت.',
  'Your previous plan has ended, and {plan} replaces it.': 'انتهت خطتك السابقة، وحلّت محلها {plan}.',
  'You cancelled {plan}': 'لقد ألغيت {plan}',
  'Your subscription to {plan} was cancelled. You keep its limits until {on}, and can resume it until then.':
    'أُلغي اشتراكك في {plan}. ستحتفظ بحدوده حتى {on}، ويمكنك استئنافه حتى ذلك الحين.',
  '{plan} continues': '{plan} مستمرة',
  'Your subscription to {plan} was resumed and continues as before.': 'استُؤنف اشتراكك في {plan}، وهو مستمر كما كان.',
  '{plan} was renewed': 'جُدّدت {plan}',
  'A new month of {plan} has begun. Its credits were added.': 'بدأ شهر جديد من {plan}، وأُضيفت أرصدته.',
  'If you did not expect this, write to the operators of the service.': 'إذا لم تكن تتوقع ذلك، فراسل مشغّلي الخدمة.',
  'Your plan ends on {from}': 'تنتهي خطتك في {from}',
  'The plan {plan} is no longer offered. Your subscription changes to {next} on {from}: {price} and {credits} per month.':
    'لم تعد الخطة {plan} متاحة. سيتغيّر اشتراكك إلى {next} في {from}: {price} و{credits} شهريًا.',
  'Look at the plans': 'الاطلاع على الخطط',
  'Until then, your plan stays as it is. You can choose another one or cancel at any time.':
    'تبقى خطتك كما هي حتى ذلك الحين. يمكنك اختيار خطة أخرى أو الإلغاء في أي وقت.',
  'Confirm your new email address': 'أكّد عنوان بريدك الإلكتروني الجديد',
  'Somebody, most likely you, wants to use this address for their account. It changes once this link and the one that went to the present address are both confirmed. The link works for 24 hours.':
    'يريد شخص ما، على الأرجح أنت، استخدام هذا العنوان لحسابه. سيتغيّر العنوان بعد تأكيد هذا الرابط والرابط المرسل إلى العنوان الحالي. يعمل الرابط لمدة 24 ساعة.',
  'Confirm or refuse': 'التأكيد أو الرفض',
  'If it was not you, ignore this mail or refuse: without you nothing changes.':
    'إذا لم تكن أنت، فتجاهل هذه الرسالة أو ارفض: لن يتغيّر شيء من دونك.',
  'Your email address has an account already': 'يوجد حساب بعنوان بريدك الإلكتروني بالفعل',
  'Somebody wanted to use this address for another account. As it has an account already, nothing changes.':
    'أراد شخص ما استخدام هذا العنوان لحساب آخر. ولأن للعنوان حسابًا بالفعل، فلن يتغيّر شيء.',
  'Sign in': 'تسجيل الدخول',
  'If it was you, sign in with this address, or delete that account first. If it was not, there is nothing to do.':
    'إذا كنت أنت، فسجّل الدخول بهذا العنوان أو احذف ذلك الحساب أولًا. وإذا لم تكن أنت، فلا يلزمك أي إجراء.',
  'Confirm the change of your email address': 'أكّد تغيير عنوان بريدك الإلكتروني',
  'Somebody who is signed in to your account, most likely you, wants to change its email address to {email}. It changes once this link and the one that went to the new address are both confirmed. The link works for 24 hours.':
    'يريد شخص مسجّل الدخول إلى حسابك، على الأرجح أنت، تغيير عنوان بريده الإلكتروني إلى {email}. سيتغيّر العنوان بعد تأكيد هذا الرابط والرابط المرسل إلى العنوان الجديد. يعمل الرابط لمدة 24 ساعة.',
  'If it was not you, refuse, and choose another password: somebody else can sign in to your account.':
    'إذا لم تكن أنت، فارفض واختر كلمة مرور أخرى: يستطيع شخص آخر تسجيل الدخول إلى حسابك.',
  'Your email address was changed': 'تم تغيير عنوان بريدك الإلكتروني',
  'The email address of your account is now {email}, confirmed from both addresses. Sessions were signed out, and earlier links to reset the password no longer work.':
    'أصبح عنوان البريد الإلكتروني لحسابك {email} بعد تأكيده من العنوانين. أُنهيت الجلسات، ولم تعد الروابط السابقة لإعادة تعيين كلمة المرور تعمل.',
  'Go to the service': 'الانتقال إلى الخدمة',
  'If it was not you, write to the operators of the service.': 'إذا لم تكن أنت، فراسل مشغّلي الخدمة.',
  'Organization: {organization}': 'المؤسسة: {organization}',
  'Hello {name},': 'مرحبًا {name}،',
  'Hello,': 'مرحبًا،',
  'Choose which emails you get': 'اختر الرسائل التي تصلك',
  Support: 'الدعم',
  Terms: 'الشروط',
  Privacy: 'الخصوصية',
  'Confirm your email address': 'أكّد عنوان بريدك الإلكتروني',
  'Please confirm your email address to activate your account. The link works for 24 hours.':
    'يُرجى تأكيد عنوان بريدك الإلكتروني لتفعيل حسابك. يعمل الرابط لمدة 24 ساعة.',
  'Confirm address': 'تأكيد العنوان',
  'If you did not register, you can ignore this email: without confirmation the account cannot be used.':
    'إذا لم تسجّل، فيمكنك تجاهل هذه الرسالة: لا يمكن استخدام الحساب من دون تأكيد.',
  'Reset your password': 'أعد تعيين كلمة المرور',
  'Somebody, most likely you, requested a password reset for your account. The link works once and for 30 minutes.':
    'طلب شخص ما، على الأرجح أنت، إعادة تعيين كلمة مرور حسابك. يعمل الرابط مرة واحدة ولمدة 30 دقيقة.',
  'Choose a new password': 'اختيار كلمة مرور جديدة',
  'If it was not you, you can ignore this email: your password stays as it is.':
    'إذا لم تكن أنت، فيمكنك تجاهل هذه الرسالة: تبقى كلمة المرور كما هي.',
  'Your password was changed': 'تم تغيير كلمة المرور',
  'The password of your account was changed just now, and other devices were signed out.':
    'تم تغيير كلمة مرور حسابك للتو، وسُجّل خروج الأجهزة الأخرى.',
  'That was not me': 'لم أكن أنا',
  'If it was you, there is nothing to do.': 'إذا كنت أنت، فلا يلزمك أي إجراء.',
  'Your account was deleted': 'تم حذف حسابك',
  'Your account was deleted: its keys stopped working immediately, and its data will be purged in 30 days.':
    'تم حذف حسابك: توقفت مفاتيحه عن العمل فورًا، وستُمحى بياناته نهائيًا بعد 30 يومًا.',
  'If it was not you, write to the operators of the service within these 30 days.':
    'إذا لم تكن أنت، فراسل مشغّلي الخدمة خلال هذه الأيام الثلاثين.',
  'Two-step sign-in was turned on': 'تم تفعيل تسجيل الدخول بخطوتين',
  'Signing in to your account now also needs a code from an authenticator app.':
    'أصبح تسجيل الدخول إلى حسابك يتطلب أيضًا رمزًا من تطبيق مصادقة.',
  'Two-step sign-in was turned off': 'تم إيقاف تسجيل الدخول بخطوتين',
  'Signing in to your account no longer needs a code from an authenticator app.':
    'لم يعد تسجيل الدخول إلى حسابك يتطلب رمزًا من تطبيق مصادقة.',
  'A recovery code was used': 'تم استخدام رمز استرداد',
  'A recovery code of your account was used in place of a code from the authenticator app. It works no more.':
    'تم استخدام رمز استرداد لحسابك بدلًا من رمز من تطبيق المصادقة. لم يعد هذا الرمز صالحًا.',
  'A passkey was added': 'تمت إضافة مفتاح مرور',
  'A passkey was added to your account, which can sign in without the password.':
    'تمت إضافة مفتاح مرور إلى حسابك، ويمكن تسجيل الدخول به من دون كلمة المرور.',
  'A passkey was removed': 'تمت إزالة مفتاح مرور',
  'A passkey was removed from your account, and can no longer sign in.':
    'تمت إزالة مفتاح مرور من حسابك، ولم يعد بالإمكان تسجيل الدخول به.',
  'Check your settings': 'مراجعة الإعدادات',
  'If it was not you, change your password immediately, and remove what you do not know from the settings.':
    'إذا لم تكن أنت، فغيّر كلمة المرور فورًا، وأزل من الإعدادات ما لا تعرفه.',
  'an unknown program': 'برنامج غير معروف',
  '{program} on {system}': '{program} على {system}',
  'Your account was signed in to at {minute} with {client} on the machine of the service.':
    'تم تسجيل الدخول إلى حسابك بتاريخ {minute} باستخدام {client} على جهاز الخدمة.',
  'Your account was signed in to at {minute} with {client}.':
    'تم تسجيل الدخول إلى حسابك بتاريخ {minute} باستخدام {client}.',
  'Your account was signed in to at {minute} with {client} in {country}.':
    'تم تسجيل الدخول إلى حسابك بتاريخ {minute} باستخدام {client} (البلد: {country}).',
  'New sign-in to your account': 'تسجيل دخول جديد إلى حسابك',
  'This browser or program was not used with your account before.':
    'لم يُستخدم هذا المتصفح أو البرنامج مع حسابك من قبل.',
  'View your sessions': 'عرض الجلسات',
  'If it was not you, end the session and change your password.': 'إذا لم تكن أنت، فأنهِ الجلسة وغيّر كلمة المرور.',
  'An API key was created': 'تم إنشاء مفتاح API',
  'The API key {key} was created at {minute}.': 'تم إنشاء مفتاح API {key} بتاريخ {minute}.',
  'If it was not you, revoke the key and change your password.': 'إذا لم تكن أنت، فألغِ المفتاح وغيّر كلمة المرور.',
  'Your account has an authenticator app, so nothing changes for you.':
    'في حسابك تطبيق مصادقة، ولذلك لا يتغيّر شيء بالنسبة إليك.',
  'To keep your access, set up an authenticator app, or add a passkey and sign in with it.':
    'للاحتفاظ بإمكانية الوصول، قم بإعداد تطبيق مصادقة، أو أضف مفتاح مرور وسجّل الدخول به.',
  '{organization} requires two-step sign-in': 'تتطلب {organization} تسجيل الدخول بخطوتين',
  'An owner of the organization now requires two-step sign-in of its members.':
    'أصبح أحد مالكي المؤسسة يشترط على الأعضاء تسجيل الدخول بخطوتين.',
  'Open your settings': 'فتح الإعدادات',
  'API keys of the organization continue to work.': 'تستمر مفاتيح API الخاصة بالمؤسسة في العمل.',
  'You are now an owner of {organization}': 'أصبحت مالكًا في {organization}',
  '{sender} made you an owner of the organization.': 'جعلك {sender} مالكًا للمؤسسة.',
  'Owners manage members, API keys, the plan and payments, and can delete the organization.':
    'يدير المالكون الأعضاء ومفاتيح API والخطة والمدفوعات، ويمكنهم حذف المؤسسة.',
  'Open the organization': 'فتح المؤسسة',
  'If you did not expect this, contact that member, or leave the organization.':
    'إذا لم تكن تتوقع ذلك، فتواصل مع هذا العضو أو غادر المؤسسة.',
  owner: 'مالك',
  admin: 'مشرف',
  developer: 'مطوّر',
  viewer: 'مُشاهِد',
  billing: 'الفوترة',
};
